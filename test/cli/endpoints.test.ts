import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { expectCode, type SrrResult, srr, srrEnv } from '../_util/srr.ts';
import { quickEnv } from '../_util/webhook-bench.ts';
import { receiver, receiverSecret } from '../_util/webhook-receiver.ts';

const readToken = 'a-token-that-only-reads';
const otherSecret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;

let gateway: TestGateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { ...quickEnv, WEBHOOK_RETRY_FOR: '0.3', WEBHOOK_HOLD: '0.05' },
    issuers: ([first, ...others]) => [
      { ...first!, tokens: [...first!.tokens, { token: readToken, scopes: ['read'] }] },
      ...others,
    ],
  });
  env = srrEnv(gateway);
});
afterAll(() => gateway?.stop());

/** Checks that only the commands that make a secret print one, and that none prints the token. */
async function endpoints(parameters: string[], more: Record<string, string> = {}): Promise<SrrResult> {
  const result = await srr(['endpoints', ...parameters], { env: { ...env, ...more } });
  const output = `${result.out}${result.err}`;
  expect(output).not.toContain(testToken);
  if (!/^(create|rotate)$/.test(parameters[0] ?? '')) expect(output).not.toContain('whsec_');
  return result;
}
const done = async (...parameters: string[]) => {
  const result = await endpoints(parameters);
  expectCode(result, 0);
  return result.out;
};
const json = async (...parameters: string[]) =>
  (await done(...parameters, '--json'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const create = async (url: string, ...more: string[]) => {
  const result = await endpoints(['create', url, ...more], { SRR_WEBHOOK_SECRET: receiverSecret });
  expectCode(result, 0);
  return result.out;
};
const happen = async (type = 'COLLECTION_FAILED') => {
  const result = await srr(['trigger', type, '--json'], { env });
  expectCode(result, 0);
  return JSON.parse(result.out).id as string;
};

it('creates an endpoint that gets the events of its types, and shows what was sent to it', async () => {
  const partner = await receiver();
  const text = await create(partner.url, '--events', 'collection-failed', '--description', 'my\nshop');
  expect(text).toMatch(
    /^endpoint +\S+\naddress +http:\S+\nstatus +ENABLED\nevents +COLLECTION_FAILED\ndescription +my\\u000ashop\n/,
  );
  expect(text).toContain(`${receiverSecret}  (shown only once)`);
  expect(partner.all).toMatchObject([{ type: 'CHALLENGE' }]);

  await happen('UNRECOGNIZED');
  const event = await happen();
  await expect.poll(() => partner.events().map(({ data }) => data.id)).toEqual([event]);
  const [listed] = await json('list');
  expect(listed).toMatchObject({ url: partner.url, types: ['COLLECTION_FAILED'], configured: false });
  expect(await done('list')).toBe(
    `${listed.id}  ENABLED  ${partner.url}  COLLECTION_FAILED  my\\u000ashop\n`,
  );
  // An id names the endpoint as well as its address.
  await expect
    .poll(() => json('deliveries', listed.id))
    .toMatchObject([{ type: 'COLLECTION_FAILED', status: 'DELIVERED', attempts: [{ status: 200 }] }]);
  expect(await done('test', partner.url)).toMatch(
    /^\S+Z {2}DELIVERED {2}TEST {2}\S+\n {2}\S+Z {2}\d+ ms {2}200\n$/,
  );
  const page = await endpoints(['deliveries', partner.url, '--limit', '1']);
  expect(page.out).toContain('  TEST  ');
  const [, after = ''] = /There are more: --after (\S+)/.exec(page.err) ?? [];
  const rest = await done('deliveries', partner.url, '--after', after, '--status', 'DELIVERED');
  expect(rest).toMatch(/^\S+Z {2}DELIVERED {2}COLLECTION_FAILED {2}[^\n]+\n {2}[^\n]+ 200\n$/);

  const again = await endpoints(['create', partner.url]);
  expectCode(again, 4);
  expect(again.err).toMatch(
    /^srr: <address>: This address is an endpoint already\. Change or delete that one\. \(INVALID_INPUT\) \[request [0-9a-f-]{36}\]\n/,
  );
  expect(await json('delete', partner.url)).toEqual([{ deletedId: listed.id }]);
  expect(await done('list')).toBe('');
});

it('rotates the secret, and moves the endpoint to another address after a challenge', async () => {
  const partner = await receiver();
  const successor = await receiver(undefined, otherSecret);
  await create(partner.url);
  const rotated = await endpoints(['rotate', partner.url, '--json'], { SRR_WEBHOOK_SECRET: receiverSecret });
  const { secret } = JSON.parse(rotated.out);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(secret).not.toBe(receiverSecret);
  // The receiver still verifies with the old secret.
  await done('test', partner.url);
  expect(partner.all.at(-1)?.signatures).toHaveLength(2);

  const file = join(mkdtempSync(join(tmpdir(), 'srr-secret-')), 'secret');
  writeFileSync(file, `${otherSecret}\n`, { mode: 0o600 });
  const chosen = await endpoints(['rotate', partner.url], { SRR_NEW_WEBHOOK_SECRET_FILE: file });
  expect(chosen.out).toContain(otherSecret);
  const moved = await json('update', partner.url, '--address', successor.url, '--description', 'moved');
  expect(moved).toMatchObject([{ url: successor.url, description: 'moved' }]);
  expect(successor.all).toMatchObject([{ type: 'CHALLENGE' }]);
  expect(await json('update', successor.url, '--description', '', '--events', 'SRR_FAILED')).toMatchObject([
    { description: null, types: ['SRR_FAILED'] },
  ]);
  expect(await done('update', successor.url, '--events', 'all')).toMatch(/^events +all$/m);
  // An address that is spelled otherwise names the endpoint too.
  await done('delete', successor.url.replace('http:', 'HTTP:'));
});

it('shows the responses of a failing endpoint, and sends failed deliveries again', async () => {
  let down = true;
  const partner = await receiver(({ type }, response) => {
    if (type === 'CHALLENGE' || !down) return 200;
    response.writeHead(503).end('\x1b[31mclosed\x9b1m');
    return undefined;
  });
  await create(partner.url);
  const test = await endpoints(['test', partner.url]);
  expectCode(test, 1);
  expect(test.out).toMatch(
    / FAILED {2}TEST {2}\S+\n {2}\S+ {2}\d+ ms {2}503 {2}"\\u001b\[31mclosed\\u009b1m"\n/,
  );
  expect(test.err).toMatch(/^srr: The endpoint did not accept the test: it must answer 2xx/);

  const events = [await happen(), await happen(), await happen()];
  const failed = async () =>
    (await json('deliveries', partner.url, '--status', 'FAILED')).filter(({ type }) => type !== 'TEST');
  await expect.poll(async () => (await failed()).length, { timeout: 30_000 }).toBe(3);
  down = false;
  const before = partner.events().length;
  const [one] = await failed();
  expect(await json('redeliver', partner.url, one.id)).toEqual([{ count: 1 }]);
  expect(await done('redeliver', partner.url, '--failed-since', '2026-01-01T00:00:00Z')).toBe(
    '2 sent again.\n',
  );
  await expect.poll(() => partner.events().length - before).toBe(3);
  expect(
    partner
      .events()
      .slice(before)
      .map(({ data }) => data.id)
      .toSorted(),
  ).toEqual(events.toSorted());

  await done('update', partner.url, '--disable');
  const disabled = await endpoints(['redeliver', partner.url, one.id]);
  expectCode(disabled, 1);
  expect(disabled.err).toContain(`First run: srr endpoints update ${partner.url} --enable`);
  expect(await done('update', partner.url, '--enable')).toMatch(/^status +ENABLED$/m);
  await done('delete', partner.url);
});

it('shows the response of an address that failed the challenge', async () => {
  const partner = await receiver(() => 404);
  const refused = await endpoints(['create', partner.url, '--json'], { SRR_WEBHOOK_SECRET: receiverSecret });
  expectCode(refused, 4);
  expect(refused.err).toContain('The address answered: "not today"\n');
  expect(JSON.parse(refused.err.trim().split('\n').at(-1) ?? '')).toEqual({
    error: { code: 'INVALID_INPUT', message: expect.stringContaining('HTTP 404. It must answer 2xx') },
  });
  expect(`${refused.out}${refused.err}`).not.toContain(receiverSecret);
});

it.each([
  ['no token', ['list'], { SRR_TOKEN: '' }, 2, 'This command needs a token'],
  ['no token to create', ['create', 'http://x/'], { SRR_TOKEN: '' }, 2, 'This command needs a token'],
  ['a token without the scope', ['list'], { SRR_TOKEN: readToken }, 4, '(FORBIDDEN)'],
  [
    "another issuer's token",
    ['test', 'http://x/'],
    { SRR_TOKEN: `${testToken}-1` },
    1,
    'See: srr endpoints list',
  ],
  [
    'a short secret',
    ['create', 'http://127.0.0.1:9/'],
    { SRR_WEBHOOK_SECRET: 'whsec_abc' },
    4,
    'openssl rand',
  ],
  [
    'a malformed address',
    ['create', 'shop'],
    {},
    4,
    'srr: <address>: URL must be an absolute address, not "shop".',
  ],
  ['an unknown event', ['create', 'http://x/', '--events', 'SRR_ISUED'], {}, 2, 'Did you mean "SRR_ISSUED"?'],
  ['no change', ['update', 'http://x/'], {}, 2, 'Nothing to change: give --address'],
  ['two states', ['update', 'x', '--enable', '--disable'], {}, 2, "cannot be used with option '--disable'"],
  [
    'nothing to send again',
    ['redeliver', 'http://x/'],
    {},
    2,
    'Give either the id of a delivery or --failed-since',
  ],
  ['an unknown status', ['deliveries', 'x', '--status', 'LOST'], {}, 2, 'PENDING, DELIVERED, FAILED'],
])('reports by its exit code and a message: %s', async (_what, parameters, more, code, says) => {
  const result = await srr(['endpoints', ...parameters], { env: { ...env, ...(more as object) } });
  expectCode(result, code);
  expect(result.out).toBe('');
  expect(result.err).toContain(says);
  expect(result.err).not.toContain('    at ');
});
