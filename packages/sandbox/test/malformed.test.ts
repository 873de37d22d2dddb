import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rpc, TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import type { MalformedRequest } from './malformed-request.ts';
import { malformedRequests } from './malformed-requests.ts';
import { operationsOf, type Placed, readOpenApi } from './open-api.ts';

const requests = 10_000;
/** Concurrent requests, each on its own connection. */
const together = 10;
/** The seed: every run sends the same ten thousand requests. */
const seed = 20_261_120;

/** Well above the slowest response on a busy machine. */
const longestMs = 10_000;
/**
 * The permitted growth of memory, on and off the heap, over the last 7,500 requests. Usually memory shrinks
 * by 3 MB, because the first requests are done; a leak of 2 KB a request would add 15 MB.
 */
const mostGrowth = 12 * 2 ** 20;

let test: TestSandbox;
let issuer: TestIssuer;
let image: string;
let operations: Placed[];
const connections = new Agent({ connections: together, headersTimeout: longestMs, bodyTimeout: longestMs });

beforeAll(async () => {
  test = await startTestSandbox();
  issuer = new TestIssuer(test.sandbox.info);
  image = (await issuer.uploadReady('whole.png', 'artwork', 'whole')).finalUrl;
  operations = operationsOf(await readOpenApi(test.sandbox.url));
});
afterAll(async () => {
  await connections.close();
  await test?.stop();
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function heldBytes(): Promise<number> {
  // Twice, because objects with finalisers are freed only after the first collection.
  for (let round = 0; round < 2; round++) {
    collectGarbage();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Expects `{statusCode, message}` with a message that is not empty. */
function envelope(status: number, text: string, description: string): void {
  const body = JSON.parse(text) as { statusCode: unknown; message: string | unknown[] };
  expect(Object.keys(body), description).toEqual(['statusCode', 'message']);
  expect(body.statusCode, description).toBe(status);
  expect(body.message.length, description).toBeGreaterThan(0);
}

const forms: Record<MalformedRequest['form'], (status: number, text: string, description: string) => void> = {
  envelope,
  graphql: (_, text, description) => expect(text, description).toMatch(/^\{"(errors|error|data)"/),
  xml: (_, text, description) => expect(text, description).toMatch(/<Code>\w+<\/Code>/),
  read: (status, text, description) => {
    if (status >= 400) envelope(status, text, description);
  },
  /** Expects an error, or one for each part of a batch. */
  rpc: (status, text, description) => {
    if (status === 200)
      for (const answer of [JSON.parse(text) as unknown].flat())
        expect(answer, description).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
  },
  content: (_, text, description) => expect(text.length, description).toBeGreaterThan(0),
};

/** Status and text of the answer. */
async function send({ method, origin, path, headers, body }: MalformedRequest): Promise<[number, string]> {
  const answer = await request((origin ?? test.sandbox.url) + path, {
    method,
    headers,
    ...(body !== undefined && { body }),
    dispatcher: connections,
  });
  return [answer.statusCode, await answer.body.text()];
}

async function judge(malformed: MalformedRequest): Promise<void> {
  const [status, text] = await send(malformed);
  const description = `${malformed.method} ${malformed.path.slice(0, 200)} ${malformed.what}: ${status} ${text.slice(0, 300)}`;
  expect(malformed.statuses, description).toContain(status);
  // The server itself refuses unknown paths.
  if (text.startsWith('{"statusCode"')) envelope(status, text, description);
  else forms[malformed.form](status, text, description);
}

it(`${requests} malformed requests each get a documented refusal, and change nothing`, {
  timeout: 180_000,
}, async () => {
  const arbitrary = malformedRequests({ issuer, image, operations });
  const aimedAt = new Set<string | undefined>();
  let sent = 0;
  let warm = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(arbitrary, { minLength: together, maxLength: together }), async (some) => {
      await Promise.all(some.map(judge));
      for (const { operation } of some) aimedAt.add(operation);
      sent += some.length;
      if (sent === requests / 4) warm = await heldBytes();
    }),
    { numRuns: requests / together, seed },
  );
  expect(sent).toBe(requests);
  // Every route must have had a malformed request.
  for (const { method, path } of operations) expect(aimedAt).toContain(`${method} ${path}`);
  for (const other of ['get /docs', 'get /docs/json', 'EVM JSON-RPC']) expect(aimedAt).toContain(other);
  expect((await heldBytes()) - warm).toBeLessThan(mostGrowth);
  // The sandbox and the node still work.
  expect(await rpc(issuer.info, 'eth_chainId', [])).toBe(`0x${issuer.info.chainId.toString(16)}`);
  expect((await issuer.post('srrs', { payload: [issuer.entry(image)] })).status).toBe(201);
});
