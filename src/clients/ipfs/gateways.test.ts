import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { failure } from '../../../test/_util/failure.ts';
import { closedPort, serve } from '../../../test/_util/http-server.ts';
import { ipfsClient } from '../../../test/_util/ipfs-client.ts';
import { addBlock, type Blocks, serveBlocks } from '../../../test/_util/trustless-gateway.ts';
import type { IpfsFailure } from './ipfs.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const status = (code: number) => serve((_, response: ServerResponse) => response.writeHead(code).end());

describe('several gateways', () => {
  const setUp = async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('content'));
    return { blocks, cid: cid.toString(), good: await serveBlocks(blocks) };
  };

  it.each([
    ['is down', () => closedPort()],
    ['fails', async () => (await status(500)).url],
    ['withholds it', async () => (await status(451)).url],
    ['does not have it', async () => (await status(404)).url],
    ['lies', async () => (await serve((_, response) => response.end('lie'))).url],
    [
      'redirects elsewhere',
      async () =>
        (
          await serve((_, response) =>
            response.writeHead(302, { location: 'http://169.254.169.254/x' }).end(),
          )
        ).url,
    ],
  ])('return the content even when the first one %s', async (_what, first) => {
    const { cid, good } = await setUp();
    expect(await ipfsClient([await first(), good.url]).cat(cid)).toEqual(Buffer.from('content'));
  });

  it('return content of a record or picture during many reads of content that callers name', async () => {
    const { blocks, cid } = await setUp();
    const searching = await serveBlocks(blocks, { before: ({ url }) => !url.includes(cid) });
    const ipfs = ipfsClient([searching.url], { timeoutMs: 2_000 });
    const named = await Promise.all(Array.from({ length: 100 }, (_, n) => addBlock(new Map(), utf8(`${n}`))));
    const searches = named.map((one) => failure(ipfs.named.cat(one.toString())));
    await expect.poll(() => searching.received.length).toBe(64);
    // A search that ended would free a slot.
    const picture = ipfs.pictures.cat(cid, { keepInMemory: false });
    for (const read of [picture, ipfs.cat(cid)])
      expect(await Promise.race([read, ...searches])).toEqual(Buffer.from('content'));
    await Promise.all(searches);
  });

  it('do not wait for a retry at the first one', async () => {
    const { cid, good } = await setUp();
    const failing = await status(500);
    await ipfsClient([failing.url, good.url]).cat(cid);
    expect(failing.received).toHaveLength(1);
    const only = await status(500);
    await failure(ipfsClient([only.url]).cat(cid));
    expect(only.received).toHaveLength(2);
  });

  it.each([429, 503])(
    'are requested again after their Retry-After, if that is short (%i)',
    async (status) => {
      const { blocks, cid } = await setUp();
      const busy = (seconds: string) => {
        let requests = 0;
        const before = (_: unknown, response: ServerResponse) =>
          requests++ === 0 && !!response.writeHead(status, { 'retry-after': seconds }).end();
        return serveBlocks(blocks, { before });
      };
      const later = await busy('60');
      expect(await failure(ipfsClient([later.url]).cat(cid))).toMatchObject({ retryAfterMs: 60_000 });
      expect(later.received).toHaveLength(1);
      const startedAt = performance.now();
      expect(await ipfsClient([(await busy('1')).url]).cat(cid)).toEqual(Buffer.from('content'));
      expect(performance.now() - startedAt).toBeGreaterThan(990);
    },
  );

  it('race when the first one does not respond, and the loser is aborted', async () => {
    const { cid, good } = await setUp();
    let closed = false;
    const silent = await serve((_, response) =>
      response.on('close', () => {
        closed = true;
      }),
    );
    const started = Date.now();
    await ipfsClient([silent.url, good.url], { hedgeMs: 50 }).cat(cid);
    expect(Date.now() - started).toBeLessThan(1_000);
    await expect.poll(() => closed).toBe(true);
  });

  it('get no request when the first one responds in time', async () => {
    const { cid, good, blocks } = await setUp();
    const spare = await serveBlocks(blocks);
    await ipfsClient([good.url, spare.url], { hedgeMs: 5_000 }).cat(cid);
    expect(spare.received).toHaveLength(0);
  });

  it('report NOT_FOUND only if all of them respond with 404', async () => {
    const { cid } = await setUp();
    const [none, late] = [await status(404), await status(504)];
    expect(await failure<IpfsFailure>(ipfsClient([none.url, none.url]).cat(cid))).toMatchObject({
      kind: 'NOT_FOUND',
    });
    expect(await failure<IpfsFailure>(ipfsClient([none.url, late.url]).cat(cid))).toMatchObject({
      kind: 'TIMEOUT',
    });
  });
});

describe('redirects', () => {
  it('within the gateway are followed up to a limit', async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('content'));
    const server = await serveBlocks(blocks, {
      before: (request, response) =>
        request.url.startsWith('/base/') &&
        !!response.writeHead(307, { location: request.url.replace('/base', '') }).end(),
    });
    expect(await ipfsClient([`${server.url}/base`]).cat(cid.toString())).toEqual(Buffer.from('content'));
    const circle = await serve((request, response) =>
      response.writeHead(302, { location: request.url }).end(),
    );
    expect(await failure<IpfsFailure>(ipfsClient([circle.url]).cat(cid.toString()))).toMatchObject({
      kind: 'BLOCKED',
    });
    expect(circle.received).toHaveLength(4);
  });

  it.each([
    ['the metadata address of a cloud', () => 'http://169.254.169.254/latest/meta-data'],
    ['another port of this machine', async () => (await serve((_, response) => response.end('{}'))).url],
    ['this machine in disguise', () => 'http://[::ffff:127.0.0.1]/'],
    ['this machine by a number', () => 'http://2130706433/'],
    ['a name of this machine', () => 'http://localhost:1/'],
    ['a private network', () => 'http://10.0.0.1/'],
    ['a file', () => 'file:///etc/passwd'],
    ['somewhere with a password', () => 'https://name:password@example.com/'],
  ])('to %s are refused before a request is sent', async (_what, target) => {
    const location = await target();
    const server = await serve((_, response) => response.writeHead(302, { location }).end());
    const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';
    expect(await failure<IpfsFailure>(ipfsClient([server.url]).cat(cid))).toMatchObject({
      kind: 'BLOCKED',
    });
    expect(server.received).toHaveLength(1);
  });

  it('to another configured gateway are followed', async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, utf8('content'));
    const mirror = await serveBlocks(blocks);
    const server = await serve((request, response) =>
      response.writeHead(301, { location: `${mirror.url}${request.url}` }).end(),
    );
    const ipfs = ipfsClient([server.url, mirror.url], { hedgeMs: 60_000 });
    expect(await ipfs.cat(cid.toString())).toEqual(Buffer.from('content'));
    expect(server.received).toHaveLength(1);
  });
});

describe('the health of the gateways', () => {
  it('is checked with the CID of empty content', async () => {
    const good = await serveBlocks(new Map());
    const bad = await status(404);
    expect(await ipfsClient([good.url]).check()).toEqual({ health: 'OK' });
    expect(await ipfsClient([bad.url, good.url]).check()).toMatchObject({ health: 'DEGRADED' });
    expect(await ipfsClient([bad.url, await closedPort()]).check()).toMatchObject({ health: 'DOWN' });
    // A web page in place of the content, as from a gateway that is being repaired.
    const page = await serve((_request, response) => response.end('<html>'));
    expect(await ipfsClient([page.url]).check()).toMatchObject({ health: 'DOWN' });
  });

  it('is reported in time when one of them hangs', async () => {
    const good = await serveBlocks(new Map());
    const hanging = await serve(() => {});
    const health = await ipfsClient([good.url, hanging.url]).check(AbortSignal.timeout(5_000));
    expect(health).toMatchObject({ health: 'OK', message: expect.stringMatching('does not deliver') });
  });

  it('is OK for a gateway that redirects', async () => {
    const server = await serveBlocks(new Map(), {
      before: (request, response) =>
        request.url.startsWith('/base/') &&
        !!response.writeHead(301, { location: request.url.replace('/base', '') }).end(),
    });
    expect(await ipfsClient([`${server.url}/base`]).check()).toEqual({ health: 'OK' });
  });
});

it('a reference in any form becomes an address at the preferred gateway', () => {
  const ipfs = ipfsClient(['https://cdn.test/', 'https://other.test']);
  const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';
  expect(ipfs.url(cid)).toBe(`https://cdn.test/ipfs/${cid}`);
  expect(ipfs.reference(`ipfs://${cid}/a.png`)).toMatchObject({
    cid,
    path: '/a.png',
    url: `https://cdn.test/ipfs/${cid}/a.png`,
  });
  expect(ipfs.reference('https://example.test/a.png')).toBeUndefined();
});
