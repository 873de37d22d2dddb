import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { followIssuersFile, readIssuersFile } from '../../src/config/issuers-file.ts';
import { type LoneGateway, loneIssuer, startLoneGateway } from '../_util/lone-gateway.ts';

let directory: string;
let file: string;
let gateway: LoneGateway;
let stopFollowing: () => void;
let logged = '';
const log = pino(
  new Writable({
    write: (line, _encoding, done) => {
      logged += line;
      done();
    },
  }),
);

const write = (...tokens: string[]) =>
  writeFileSync(
    file,
    JSON.stringify([
      {
        address: loneIssuer,
        apiKey: 'a-configured-key',
        webhookKeys: [`hook-of-${tokens[0]}`],
        tokens: tokens.map((token) => ({ token, scopes: ['read'] })),
      },
    ]),
  );

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'issuers-file-'));
  file = join(directory, 'issuers.json');
  write('the-first-token');
  gateway = await startLoneGateway({ ISSUERS_FILE: file });
  const present = readIssuersFile(file, []) ?? [];
  stopFollowing = followIssuersFile(file, present, (issuers) => gateway.app.replaceIssuers(issuers), log);
});
afterAll(async () => {
  stopFollowing?.();
  await gateway?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const statusOf = async (token: string) =>
  (await gateway.as({ authorization: `Bearer ${token}` }).ask('{ viewer { issuer } }')).status;

async function webhookStatus(key: string): Promise<number> {
  const response = await fetch(`${gateway.app.url}/webhooks/commerce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: 'no delivery',
  });
  return response.status;
}

it('a changed issuers file takes effect without a restart, for tokens and webhook keys', async () => {
  write('the-first-token');
  await expect.poll(() => statusOf('the-first-token'), { timeout: 20_000 }).toBe(200);
  write('the-second-token');
  await expect.poll(() => statusOf('the-second-token'), { timeout: 20_000 }).toBe(200);
  expect(await statusOf('the-first-token')).toBe(401);
  // 400 shows that the key was accepted: the body is not a delivery.
  expect(await webhookStatus('hook-of-the-second-token')).toBe(400);
  expect(await webhookStatus('hook-of-the-first-token')).toBe(401);
});

it('an invalid issuers file leaves the old issuers in force, and the log shows none of its secrets', async () => {
  writeFileSync(file, '[{"apiKey": "a-planted-secret",]');
  process.emit('SIGHUP');
  expect(logged).toContain('the former issuers stay in force');
  expect(logged).not.toContain('a-planted-secret');
  expect(await statusOf('the-second-token')).toBe(200);
});

it('the issuers file is reloaded at once on SIGHUP', async () => {
  write('the-third-token');
  process.emit('SIGHUP');
  expect(await statusOf('the-third-token')).toBe(200);
});

it('the issuers file is applied again after the start only if it changed in between', () => {
  const taken: unknown[] = [];
  const present = readIssuersFile(file, []) ?? [];
  for (const earlier of [present, []])
    followIssuersFile(file, earlier, (issuers) => taken.push(issuers), log)();
  expect(taken).toEqual([present]);
});
