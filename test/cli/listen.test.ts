import { createServer } from 'node:http';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { cutProxy } from '../_util/cut-proxy.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { reply, serve } from '../_util/http-server.ts';
import { expectCode, type SrrProcess, srr, srrEnv, startSrr } from '../_util/srr.ts';

let gateway: TestGateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await startTestGateway();
  env = srrEnv(gateway);
});
afterAll(() => gateway?.stop());

interface Received {
  type: string;
  timestamp: string;
  data: { id: string; type: string; externalId?: string; address?: string; srr?: { tokenId: string } };
}

/** A receiver as partners write it: ten lines, and the reference library of Standard Webhooks. */
function receiver(secret: () => string, answers: number[] = []) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    try {
      received.push(
        new Webhook(secret()).verify(body, request.headers as Record<string, string>) as Received,
      );
      response.writeHead(answers.shift() ?? 204).end();
    } catch {
      response.writeHead(400).end();
    }
  });
  onTestFinished(() => void server.close());
  return {
    received,
    listen: (port: number) => new Promise<void>((done) => server.listen(port, '127.0.0.1', done)),
  };
}

async function listening(...parameters: string[]): Promise<{ process: SrrProcess; secret: string }> {
  const process = startSrr(['listen', ...parameters], { env });
  onTestFinished(async () => {
    process.child.kill('SIGKILL');
    await process.ended;
  });
  await expect.poll(() => process.out(), { timeout: 20_000 }).toContain('Signing secret: whsec_');
  return { process, secret: /whsec_\S+/.exec(process.out())?.[0] ?? '' };
}

const trigger = async (event: string) => {
  const result = await srr(['trigger', event, '--json'], { env });
  expectCode(result, 0);
  return JSON.parse(result.out) as Received['data'];
};

describe('srr listen', () => {
  it('forwards what srr trigger causes, verified, and ends with Ctrl-C', async () => {
    const [port = 0] = await freePorts(1);
    let secret = '';
    const { received, listen } = receiver(() => secret);
    await listen(port);
    const listener = await listening('--forward-to', `http://127.0.0.1:${port}/hook`);
    secret = listener.secret;
    const issued = await trigger('SRR_ISSUED');
    await expect.poll(() => received.map(({ data }) => data)).toContainEqual(issued);
    expect(received.find(({ data }) => data.id === issued.id)).toMatchObject({
      type: 'SRR_ISSUED',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    await expect.poll(() => listener.process.out()).toMatch(/SRR_ISSUED {2}\S+ {2}204\n/);
    listener.process.child.kill('SIGINT');
    const ended = await listener.process.ended;
    expectCode(ended, 130);
    expect(ended.err).toMatch(/To continue from here: --after \S+\n/);
    expect(`${ended.out}${ended.err}`).not.toContain(testToken);
  });

  it('waits for a receiver that is down, and sends refused events again', async () => {
    const [port = 0] = await freePorts(1);
    let secret = '';
    const { received, listen } = receiver(() => secret, [500, 503]);
    const listener = await listening('--forward-to', `http://127.0.0.1:${port}/hook`);
    secret = listener.secret;
    const first = await trigger('COLLECTION_FAILED');
    const second = await trigger('UNRECOGNIZED');
    await expect.poll(() => listener.process.err()).toContain('No answer from http://127.0.0.1');
    await listen(port);
    const times = (id: string) => received.filter(({ data }) => data.id === id).length;
    await expect.poll(() => [times(first.id), times(second.id)], { timeout: 30_000 }).toEqual([3, 1]);
    // The second event came only after the receiver had accepted the first.
    expect(received.at(-1)?.data.id).toBe(second.id);
  });

  it('gives an event up after five answers', async () => {
    const [port = 0] = await freePorts(1);
    let secret = '';
    const { listen } = receiver(() => secret, Array(5).fill(500));
    await listen(port);
    const listener = await listening('--forward-to', `http://127.0.0.1:${port}/hook`);
    secret = listener.secret;
    await trigger('COLLECTION_FAILED');
    await expect
      .poll(() => listener.process.out(), { timeout: 30_000 })
      .toMatch(/COLLECTION_FAILED {2}\S+ {2}500 \(given up\) {2}after 5 attempts\n/);
  });

  it('resumes without a gap after the connection to the gateway was cut', async () => {
    const [port = 0, hook = 0] = await freePorts(2);
    await using line = await cutProxy(port, Number(new URL(gateway.app.url).port), 10_000_000);
    let secret = '';
    const { received, listen } = receiver(() => secret);
    await listen(hook);
    const listener = await listening(
      ...['--url', `http://127.0.0.1:${port}`, '--forward-to', `http://127.0.0.1:${hook}/`],
      ...['--events', 'collection-failed'],
    );
    secret = listener.secret;
    const before = await trigger('COLLECTION_FAILED');
    await expect.poll(() => received.map(({ data }) => data.id)).toEqual([before.id]);
    const cut = line.cut(1_500);
    const during = await trigger('COLLECTION_FAILED');
    await trigger('UNRECOGNIZED');
    await cut;
    await expect
      .poll(() => received.map(({ data }) => data.id), { timeout: 20_000 })
      .toEqual([before.id, during.id]);
    expect(listener.process.err()).toContain('Connecting again.');
  });

  it('refuses a malformed secret and a missing or malformed address', async () => {
    const hook = ['listen', '--forward-to', 'http://127.0.0.1:9/'];
    const wrong = await srr(hook, { env: { ...env, SRR_WEBHOOK_SECRET: 'whsec_?' } });
    expectCode(wrong, 2);
    expect(wrong.err).toContain('SRR_WEBHOOK_SECRET: must be');
    expectCode(await srr(['listen', '--forward-to', 'localhost:3000'], { env }), 2);
    expectCode(await srr(['listen'], { env }), 2);
    const withPassword = await srr(['listen', '--forward-to', 'http://me:pw@127.0.0.1:9/'], { env });
    expectCode(withPassword, 2);
    expect(withPassword.err).toContain('must not hold credentials. Deliveries are signed:');
  });
});

describe('srr trigger', () => {
  it.each([
    ['srr-failed', { type: 'SRR_FAILED', error: { code: 'MINING_FAILED' } }],
    ['COLLECTION_CREATED', { type: 'COLLECTION_CREATED', address: expect.stringMatching(/^0x/) }],
    ['TRANSFER_RESERVED', { type: 'TRANSFER_RESERVED', srr: { tokenId: expect.any(String) } }],
    ['transfer-completed', { type: 'TRANSFER_COMPLETED', srr: { tokenId: expect.any(String) } }],
  ])('causes %s', async (event, fields) => {
    expect(await trigger(event)).toMatchObject(fields);
  });

  it('refuses anything but a sandbox, and events that it cannot cause', async () => {
    const elsewhere = await srr(['trigger', 'SRR_ISSUED'], {
      env: { ...env, SRR_SANDBOX_URL: gateway.app.url },
    });
    expectCode(elsewhere, 2);
    expect(elsewhere.err).toContain('is not a sandbox');
    const others = [{ address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }];
    const another = await serve((_, response) =>
      reply(response, 200, { issuers: others, artists: others, buyers: others }),
    );
    const foreign = await srr(['trigger', 'SRR_ISSUED', '--sandbox', another.url], { env });
    expectCode(foreign, 2);
    expect(foreign.err).toContain('has no sandbox behind it');
    const absent = await srr(['trigger', 'SRR_ISSUED', '--sandbox', 'http://127.0.0.1:9'], { env });
    expectCode(absent, 2);
    expect(absent.err).toContain('is a sandbox running there?');
    const own = await srr(['trigger', 'webhook-endpoint-disabled'], { env });
    expectCode(own, 2);
    expect(own.err).toContain('The sandbox cannot cause WEBHOOK_ENDPOINT_DISABLED: the gateway creates it');
    const unknown = await srr(['trigger', 'SRR_ISUED'], { env });
    expectCode(unknown, 2);
    expect(unknown.err).toContain('Did you mean "SRR_ISSUED"?');
  });
});
