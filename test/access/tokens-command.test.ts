import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { lockDirectory } from '@srr-gateway/common/database/directory-lock';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { project } from '../_util/gateway-process.ts';
import { loneIssuer } from '../_util/lone-gateway.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tokens-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const direct = ['src/commands/tokens.ts'];
/** The command as users type it. */
const throughSrr = ['packages/cli/bin/srr.js', 'tokens'];

const tokens = (...parameters: string[]) => run(direct, parameters);

function run(
  command: string[],
  parameters: string[],
  {
    cwd = project,
    dataDir = join(directory, 'data'),
    env: more = {},
  }: { cwd?: string; dataDir?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number; out: string; err: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir, ...more };
  return new Promise((resolve) => {
    execFile(process.execPath, [...command, ...parameters], { cwd, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

it('the command makes, lists and revokes tokens, and shows a token only once', async () => {
  // A retry finds the tokens of the first run.
  rmSync(join(directory, 'data'), { recursive: true, force: true });
  expect((await tokens('list')).out).toBe('There are no tokens.\n');
  const made = await tokens(
    'make',
    '--issuer',
    loneIssuer,
    '--scopes',
    'read,issue',
    '--note',
    'the shop',
    '--days',
    '30',
  );
  expect(made).toMatchObject({ code: 0, err: '' });
  const [, token = '', id = ''] = /^(srr_\S{43})\n[\s\S]*: (\S{36})\n$/.exec(made.out) ?? [];
  expect(token).not.toBe('');

  const listed = await tokens('list');
  const [heads = '', row = '', ...more] = listed.out.split('\n');
  expect(heads).toMatch(/^id +issuer +scopes +state +note$/);
  const [, until = ''] =
    new RegExp(`^${id}  ${loneIssuer}  read,issue  live until (\\S+)  the shop$`).exec(row) ?? [];
  expect((Date.parse(until) - Date.now()) / 86_400_000).toBeCloseTo(30, 1);
  expect(more).toEqual(['']);
  for (const [head, cell] of Object.entries({
    issuer: loneIssuer,
    scopes: 'read',
    state: 'live',
    note: 'the',
  }))
    expect(row.indexOf(cell), head).toBe(heads.indexOf(head));
  expect(listed.out).not.toContain(token);

  expect(await tokens('revoke', id)).toMatchObject({ code: 0, out: `Revoked ${id}.\n` });
  await tokens('make', '--issuer', loneIssuer, '--scopes', 'read', '--note', 'short', '--days', '1e-9');
  expect((await tokens('list')).out).toMatch(/ revoked 20.* the shop\n.* expired 20.* short\n/);
  expect(await tokens('revoke', id)).toMatchObject({
    code: 1,
    err: `revoke: there is no token ${id}, or it is revoked already. See list.\n`,
  });
}, 120_000);

it.each([
  [['--help'], 0, /^Usage: srr tokens/],
  [[], 0, /^Usage: srr tokens/],
  [['forget'], 2, /no command "forget"/],
  [['constructor'], 2, /no command "constructor"/],
  [['make', '--issuer', '0x12', '--scopes', 'read', '--note', 'x'], 2, /^--issuer: /],
  [
    ['make', '--issuer', loneIssuer, '--scopes', 'write', '--note', 'x'],
    2,
    /^--scopes: "write" is not one of read, upload, issue/,
  ],
  [['make', '--issuer', loneIssuer, '--scopes', 'read'], 2, /^--note: missing/],
  [['make', '--issuer', loneIssuer, '--scopes', 'read', '--note', 'x', '--days', 'ten'], 2, /^--days: /],
  [['make', '--issuer', loneIssuer, '--scopes', 'read', '--note', 'x', '--days', '36500'], 2, /^--days: /],
  [
    ['make', '--issuer', '0x12', '--scopes', 'write,read,mint', '--days', '0'],
    2,
    /^--issuer: .+\n--scopes: "write" .+\n--scopes: "mint" .+\n--note: missing.+\n--days: .+\n$/,
  ],
  [['make'], 2, /^--issuer: .+\n--scopes: missing.+\n--note: missing.+\n$/],
  [['revoke', '12'], 2, /^revoke: give the id/],
  [['revoke', randomUUID(), 'another-id'], 2, /^revoke: "another-id" is too much\. Revoke one token/],
  [
    ['make', '--issuer', loneIssuer, '--scopes', 'read', '--note', 'the', 'shop'],
    2,
    /^make: "shop" is too much\. .+ quote a note/,
  ],
  [['--colour'], 2, /--colour.*srr tokens --help/],
])('the command answers %j with its usage or the fault', async (parameters, code, says) => {
  const answer = await tokens(...parameters);
  expect(answer.code).toBe(code);
  expect(code === 0 ? answer.out : answer.err).toMatch(says);
});

it('the command makes no token for an issuer that is not configured', async () => {
  const ISSUERS = JSON.stringify([{ address: loneIssuer, apiKey: 'a-key-of-the-test' }]);
  const other = `0x${'4'.repeat(40)}`;
  const parameters = ['make', '--issuer', other, '--scopes', 'read', '--note', 'x'];
  const { code, err } = await run(direct, parameters, { env: { ISSUERS } });
  expect([code, err]).toEqual([2, expect.stringContaining(`${other} is not one of the configured issuers`)]);
});

it('srr tokens runs the command, with the same output and exit codes', async () => {
  const parameters = ['make', '--issuer', loneIssuer, '--scopes', 'read', '--note', 'by srr', '--days', '1'];
  const made = await run(throughSrr, parameters);
  expect(made).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^srr_\S{43}\n/) });
  expect((await run(throughSrr, ['list'])).out).toContain('by srr');
  // From any folder it finds the database of `npm start`.
  const data = join(directory, 'data');
  const elsewhere = { cwd: data, dataDir: relative(project, data) };
  const [binary = '', ...rest] = throughSrr;
  expect((await run([join(project, binary), ...rest], ['list'], elsewhere)).out).toContain('by srr');
  expect(await run(throughSrr, ['--help'])).toEqual(await run(direct, ['--help']));
  expect(await run(throughSrr, ['make'])).toEqual(await run(direct, ['make']));
  expect(await run(throughSrr, ['revoke', '12'])).toMatchObject({ code: 2, out: '' });
}, 120_000);

it('the command says to stop the gateway that uses the directory', async () => {
  const unlock = lockDirectory(join(directory, 'data'));
  onTestFinished(unlock);
  const { code, err } = await tokens('list');
  expect(code).toBe(1);
  expect(err).toMatch(
    /is in use by another process\. Stop that one\. To start another beside it, set DATA_DIR/,
  );
});

it.runIf(process.env.TEST_DATABASE_URL)(
  'the command lists the tokens of a read-only database, and explains why it cannot make one',
  async () => {
    const { database, url, drop } = await testDatabase();
    onTestFinished(drop);
    const env = { DATABASE_URL: url, SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') };
    const runThere = (...parameters: string[]) => run(direct, parameters, { env });
    expect(await runThere('list')).toMatchObject({ code: 0, err: '' });
    const db = new Kysely<never>({ dialect: database.dialect });
    const name = sql.id(new URL(url ?? '').pathname.slice(1));
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(db);
    expect((await runThere('list')).out).toBe('There are no tokens.\n');
    const made = await runThere('make', '--issuer', loneIssuer, '--scopes', 'read', '--note', 'x');
    expect(made).toMatchObject({ code: 1, out: '' });
    expect(made.err).toMatch(/^DATABASE_URL: cannot execute .*takes no writes.*\n$/);
  },
  60_000,
);
