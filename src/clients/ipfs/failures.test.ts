import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { failure } from '../../../test/_util/failure.ts';
import { serve } from '../../../test/_util/http-server.ts';
import { ipfsClient } from '../../../test/_util/ipfs-client.ts';
import { addBlock, type Blocks, serveBlocks } from '../../../test/_util/trustless-gateway.ts';
import type { IpfsFailure } from './ipfs.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const status = (code: number) => serve((_, response: ServerResponse) => response.writeHead(code).end());

describe('content that cannot be fetched', () => {
  const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';

  it.each([
    [404, 'NOT_FOUND', 'NOT_FOUND'],
    [410, 'BLOCKED', 'UPSTREAM_BAD_RESPONSE'],
    [451, 'BLOCKED', 'UPSTREAM_BAD_RESPONSE'],
    [413, 'TOO_LARGE', 'FILE_TOO_LARGE'],
    [504, 'TIMEOUT', 'UPSTREAM_TIMEOUT'],
    [429, 'UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'],
    [502, 'UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'],
  ])('after status %i is %s', async (code, kind, errorCode) => {
    const server = await status(code);
    const error = await failure<IpfsFailure>(ipfsClient([server.url]).cat(cid));
    expect(error).toMatchObject({ name: 'IpfsFailure', kind, code: errorCode, upstream: 'IPFS' });
  });

  it('within the timeout is TIMEOUT', async () => {
    const server = await serve(() => {});
    expect(await failure<IpfsFailure>(ipfsClient([server.url], { timeoutMs: 100 }).cat(cid))).toMatchObject({
      kind: 'TIMEOUT',
    });
  });

  it('because it is endless is TOO_LARGE', async () => {
    const server = await serve((_, response) => {
      const piece = Buffer.alloc(64 * 1024);
      const more = () =>
        response.destroyed || (response.write(piece) ? setImmediate(more) : response.once('drain', more));
      more();
    });
    expect(
      await failure<IpfsFailure>(ipfsClient([server.url]).cat(cid, { maxBytes: 1_000_000 })),
    ).toMatchObject({
      kind: 'TOO_LARGE',
    });
  });

  it('because its CID is invalid is NOT_FOUND without a request', async () => {
    const server = await status(500);
    expect(await failure<IpfsFailure>(ipfsClient([server.url]).cat('0x12'))).toMatchObject({
      kind: 'NOT_FOUND',
    });
    expect(server.received).toHaveLength(0);
  });

  it('is not requested again at once', async () => {
    const server = await status(404);
    const ipfs = ipfsClient([server.url]);
    await failure<IpfsFailure>(ipfs.cat(cid));
    expect(await failure<IpfsFailure>(ipfs.cat(cid))).toMatchObject({ kind: 'NOT_FOUND' });
    expect(server.received).toHaveLength(1);
  });

  it('as JSON is INVALID_JSON', async () => {
    const blocks: Blocks = new Map();
    const text = await addBlock(blocks, utf8('not json'));
    const bytes = await addBlock(blocks, Uint8Array.from([0x22, 0xff, 0x22]));
    const ipfs = ipfsClient([(await serveBlocks(blocks)).url]);
    expect(await failure<IpfsFailure>(ipfs.json(text.toString()))).toMatchObject({ kind: 'INVALID_JSON' });
    expect(await failure<IpfsFailure>(ipfs.json(bytes.toString()))).toMatchObject({ kind: 'INVALID_JSON' });
  });
});
