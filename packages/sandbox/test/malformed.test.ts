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
/** At one moment, over as many connections. */
const together = 10;
/** The same ten thousand at every run; another number makes others. */
const seed = 20_261_120;

/** Well above the slowest answer on a busy machine, and far below a hang. */
const longestMs = 10_000;
/**
 * What the process may hold, on and off the heap, beside what it held before the last 7,500 requests. It is
 * 3 MB less as a rule, for what the first ones had under way; a leak of 2 KB a request would be 15 MB more.
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
  // Twice: what has a finaliser is freed after the round that found it.
  for (let round = 0; round < 2; round++) {
    collectGarbage();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** `{statusCode, message}`, and a message that says something. */
function envelope(status: number, text: string, shown: string): void {
  const body = JSON.parse(text) as { statusCode: unknown; message: string | unknown[] };
  expect(Object.keys(body), shown).toEqual(['statusCode', 'message']);
  expect(body.statusCode, shown).toBe(status);
  expect(body.message.length, shown).toBeGreaterThan(0);
}

const forms: Record<MalformedRequest['form'], (status: number, text: string, shown: string) => void> = {
  envelope,
  graphql: (_, text, shown) => expect(text, shown).toMatch(/^\{"(errors|error|data)"/),
  xml: (_, text, shown) => expect(text, shown).toMatch(/<Code>\w+<\/Code>/),
  read: (status, text, shown) => {
    if (status >= 400) envelope(status, text, shown);
  },
  /** An error, or one for each part of a batch. */
  rpc: (status, text, shown) => {
    if (status === 200)
      for (const answer of [JSON.parse(text) as unknown].flat())
        expect(answer, shown).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
  },
  content: (_, text, shown) => expect(text.length, shown).toBeGreaterThan(0),
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
  const shown = `${malformed.method} ${malformed.path.slice(0, 200)} ${malformed.what}: ${status} ${text.slice(0, 300)}`;
  expect(malformed.statuses, shown).toContain(status);
  // What is no path of a surface is refused by the server itself.
  if (text.startsWith('{"statusCode"')) envelope(status, text, shown);
  else forms[malformed.form](status, text, shown);
}

it(`${requests} malformed requests are each answered with a documented refusal, and leave no trace`, {
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
  // A route that nothing malformed was sent to is not shown to refuse it.
  for (const { method, path } of operations) expect(aimedAt).toContain(`${method} ${path}`);
  for (const other of ['get /docs', 'get /docs/json', 'EVM JSON-RPC']) expect(aimedAt).toContain(other);
  expect((await heldBytes()) - warm).toBeLessThan(mostGrowth);
  // It serves as before, and so does the node.
  expect(await rpc(issuer.info, 'eth_chainId', [])).toBe(`0x${issuer.info.chainId.toString(16)}`);
  expect((await issuer.post('srrs', { payload: [issuer.entry(image)] })).status).toBe(201);
});
