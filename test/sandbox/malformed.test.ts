import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestIssuer } from '../_util/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../_util/sandbox.ts';
import { type MalformedRequest, malformedRequests } from './malformed-requests.ts';

const requests = 10_000;
/** At one moment, over as many connections. */
const together = 10;
/** The same ten thousand at every run; another number makes others. */
const seed = 20_261_120;

/** Well above the slowest answer on a busy machine, and far below a hang. */
const longestMs = 10_000;
/** What caches and a busy heap may take; a leak of a few kilobytes a request takes more. */
const growthBytes = 96 * 2 ** 20;

let test: TestSandbox;
let issuer: TestIssuer;
let image: string;
const connections = new Agent({ connections: together, headersTimeout: longestMs, bodyTimeout: longestMs });

beforeAll(async () => {
  test = await startTestSandbox();
  issuer = new TestIssuer(test.sandbox.info);
  image = (await issuer.uploadReady('whole.png', 'artwork', 'whole')).finalUrl;
});
afterAll(async () => {
  await connections.close();
  await test?.stop();
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function resident(): number {
  collectGarbage();
  return process.memoryUsage.rss();
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
    if (status !== 200) envelope(status, text, shown);
  },
  content: (_, text, shown) => expect(text.length, shown).toBeGreaterThan(0),
};

/** Status and text of the answer. */
async function send({ method, path, headers, body }: MalformedRequest): Promise<[number, string]> {
  const answer = await request(test.sandbox.url + path, {
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
  const arbitrary = malformedRequests({ issuer, image });
  let sent = 0;
  let afterWarmUp = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(arbitrary, { minLength: together, maxLength: together }), async (some) => {
      await Promise.all(some.map(judge));
      sent += some.length;
      if (afterWarmUp === 0 && sent >= requests / 4) afterWarmUp = resident();
    }),
    { numRuns: requests / together, seed },
  );
  expect(sent).toBe(requests);
  expect(resident() - afterWarmUp).toBeLessThan(growthBytes);
  // It serves as before.
  expect((await issuer.post('srrs', { payload: [issuer.entry(image)] })).status).toBe(201);
});
