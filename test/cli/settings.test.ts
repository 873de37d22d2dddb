import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { project } from '../_util/gateway-process.ts';
import { closedPort } from '../_util/http-server.ts';
import { type LoneGateway, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';
import { expectCode, srr, startSrr } from '../_util/srr.ts';

let gateway: LoneGateway;
let env: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), 'srr-settings-'));
beforeAll(async () => {
  gateway = await startLoneGateway();
  env = { SRR_URL: gateway.address };
});
afterAll(() => gateway?.stop());

const list = ['events', 'list'];

describe('the token', () => {
  it('comes from a flag, a file or the environment, in this order', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, `${loneToken}\n`, { mode: 0o600 });
    const wrong = 'a-token-that-nobody-has';
    const ways: [string[], Record<string, string>][] = [
      [['--token', loneToken], { SRR_TOKEN: wrong }],
      [['--token-file', file], { SRR_TOKEN: wrong }],
      [[], { SRR_TOKEN: loneToken, SRR_TOKEN_FILE: 'absent' }],
      [[], { SRR_TOKEN_FILE: file }],
    ];
    for (const [flags, variables] of ways)
      expectCode(await srr([...list, ...flags], { env: { ...env, ...variables } }), 0);
    const both = await srr([...list, '--token', loneToken, '--token-file', file], { env });
    expectCode(both, 2);
    expect(both.err).toBe('srr: --token and --token-file: give only one of them.\n');
  });

  it('is refused from a file that others can read', async () => {
    const file = join(folder, 'open');
    writeFileSync(file, loneToken);
    for (const mode of [0o644, 0o640, 0o602]) {
      chmodSync(file, mode);
      const result = await srr([...list, '--token-file', file], { env });
      expectCode(result, 2);
      expect(result.err).toContain(
        `others can read ${file} (mode ${mode.toString(8)}). Run: chmod 600 ${file}`,
      );
      expect(result.err).not.toContain(loneToken);
    }
    const absent = await srr([...list, '--token-file', join(folder, 'absent')], { env });
    expectCode(absent, 2);
    expect(absent.err).toContain('there is no file');
  });

  it('appears in no message, and not in the list of processes', async () => {
    const secret = 'a secret\nwith a break';
    const file = join(folder, 'broken');
    writeFileSync(file, secret, { mode: 0o600 });
    for (const [flags, variables] of [
      [['--token', secret], {}],
      [['--token-file', file], {}],
      [[], { SRR_TOKEN: secret }],
    ] as const) {
      const broken = await srr([...list, ...flags], { env: { ...env, ...variables } });
      expectCode(broken, 2);
      expect(`${broken.out}${broken.err}`).not.toContain('a secret');
    }
    const wrong = await srr([...list, '--token', 'wrong-token-12345'], { env });
    expectCode(wrong, 4);
    expect(`${wrong.out}${wrong.err}`).not.toContain('wrong-token-12345');
    const tail = startSrr(['events', 'tail', '--token', loneToken], { env });
    const listed = () => readFileSync(`/proc/${tail.child.pid}/cmdline`, 'utf8');
    if (process.platform === 'linux') await expect.poll(listed).toMatch(/^srr\0*$/);
    tail.child.kill('SIGINT');
    expectCode(await tail.ended, 130);
  });
});

describe('the exit code', () => {
  it.each([
    ['no token', list, {}, 2, 'This command needs a token: set SRR_TOKEN'],
    ['a wrong token', list, { SRR_TOKEN: 'nobody-has-it' }, 4, '(UNAUTHENTICATED)'],
    ['a token without the scope', list, { SRR_TOKEN: 'lone-token-upload' }, 4, '(FORBIDDEN)'],
    ['an unknown command', ['isue'], {}, 2, "unknown command 'isue'\n(Did you mean issue?)\nSee: srr --help"],
    ['an unknown option', ['get', '1', '--colection', 'x'], {}, 2, '(Did you mean --collection?)'],
    ['a missing argument', ['get'], {}, 2, "missing required argument 'tokenId'\nSee: srr get --help"],
    [
      'an unknown option of a part',
      ['endpoints', 'update', '--no'],
      {},
      2,
      'See: srr endpoints update --help',
    ],
    [
      'no address',
      ['get', '1'],
      { SRR_URL: 'gateway' },
      2,
      'SRR_URL: must be the address of the GraphQL endpoint',
    ],
    ['a password in it', ['get', '1', '--url', 'http://me:pw@x/'], {}, 2, '--url: must not hold credentials'],
    [
      'a bad number',
      ['issue', 'x.csv', '--batch', '251'],
      {},
      2,
      '--batch: must be a whole number from 1 to 250',
    ],
    [
      'a number in another form',
      ['issue', 'x.csv', '--batch', '1e2'],
      {},
      2,
      '--batch: must be a whole number from 1 to 250, not "1e2".',
    ],
    [
      'a token file with a name that no file has',
      list,
      { SRR_TOKEN_FILE: 'x'.repeat(300) },
      2,
      'x cannot be read (ENAMETOOLONG).',
    ],
    [
      'a secret file that is not there',
      ['endpoints', 'create', 'http://x/'],
      { SRR_WEBHOOK_SECRET_FILE: 'absent' },
      2,
      'SRR_WEBHOOK_SECRET_FILE: there is no file absent.',
    ],
    ['another start', ['events', 'tail', '--from', 'x'], {}, 2, '--from: must be NOW or BEGINNING, not "x".'],
    ['no manifest', ['issue', 'absent.csv'], {}, 2, 'There is no file absent.csv.'],
  ])('comes with a message: %s', async (_what, parameters, variables, code, says) => {
    const result = await srr(parameters as string[], { env: { ...env, ...variables } });
    expectCode(result, code as number);
    expect(result.out).toBe('');
    expect(result.err).toContain(says);
    expect(result.err).not.toContain('    at ');
  });

  it('is 3 when nothing answers, or something that is not a gateway', async () => {
    const nobody = await closedPort();
    const unreachable = await srr(['get', '1', '--url', nobody, '--retry-for', '1'], {});
    expectCode(unreachable, 3);
    expect(unreachable.err).toMatch(
      /^No answer from .* Trying again in 0\.\d s\.\n[\s\S]*srr: No answer from .*\(NO_ANSWER\)\n$/,
    );
    const page = await srr(['get', '1', '--url', `${gateway.address}/health/live`], {});
    expectCode(page, 3);
    expect(page.err).toContain('Is it the GraphQL endpoint of a gateway?');
  });

  it('comes with an error in JSON', async () => {
    const result = await srr([...list, '--json'], { env: { ...env, SRR_TOKEN: 'nobody-has-it' } });
    expectCode(result, 4);
    expect(JSON.parse(result.err)).toEqual({
      error: { code: 'UNAUTHENTICATED', message: expect.any(String) },
    });
    for (const [wrong, message] of [
      [['get', '--json'], "missing required argument 'tokenId'"],
      [['get', '1', '--nope', '--json'], "unknown option '--nope'"],
    ] as const) {
      const usage = await srr(wrong, {});
      expectCode(usage, 2);
      expect(JSON.parse(usage.err)).toEqual({ error: { code: 'ERROR', message } });
    }
  });
});

it('an older Node prints which version is needed', () => {
  const older =
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })";
  const parameters = [
    '--import',
    `data:text/javascript,${encodeURIComponent(older)}`,
    'packages/cli/bin/srr.js',
  ];
  const { status, stderr } = spawnSync(process.execPath, parameters, { cwd: project, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: 'srr: needs Node 24 or later, and this is 20.1.0. In the repository: npx srr\n',
  });
});

describe('help', () => {
  it('exists for the program and for each command, with examples', async () => {
    const whole = await srr(['--help'], {});
    expectCode(whole, 0);
    expect(whole.out).toMatch(/^Usage: srr [\s\S]*Exit codes: 0 done;/);
    const [, listed = ''] = /Commands:\n([\s\S]*?)\n\n/.exec(whole.out) ?? [];
    const commands = [...listed.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);
    expect(commands).toEqual(
      'issue status get export events listen trigger endpoints tokens completion help'.split(' '),
    );
    const documented = [
      ...commands.filter((name) => !/events|endpoints|help|tokens/.test(name)),
      'events list',
      'events tail',
      ...'list create update rotate delete test deliveries redeliver'
        .split(' ')
        .map((name) => `endpoints ${name}`),
    ];
    for (const command of documented) {
      const { code, out } = await srr([...command.split(' '), '--help'], {});
      expect({ command, code, out }).toEqual({
        command,
        code: 0,
        out: expect.stringContaining('\nExamples:\n  $ '),
      });
      expect(out).toContain('--token-file');
    }
    expect((await srr(['--version'], {})).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('is printed when no command is named', async () => {
    const nothing = await srr([], {});
    expectCode(nothing, 2);
    expect(nothing.err).toMatch(/^Usage: srr /);
  });
});
