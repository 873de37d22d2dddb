import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { typoHints } from '@srr-gateway/common/typo-hints';
import { variableNames as ofSandbox } from '@srr-gateway/sandbox/settings';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerSealingKeys } from '../../src/access/sealing-keys.ts';
import { SecretBox } from '../../src/access/secret-box.ts';
import { variableNames as ofGateway } from '../../src/config/config.ts';
import { openTables } from '../../src/store/store.ts';
import { project } from '../_util/gateway-process.ts';
import { closedPort } from '../_util/http-server.ts';

const secret = 'hunter2-is-a-secret';
const sealingKey = Buffer.alloc(32, 7).toString('base64');
/** Addresses at which nothing answers. The gateway starts without reaching its upstreams. */
const live = {
  COMMERCE_URL: 'http://127.0.0.1:9',
  SUBGRAPH_URL: 'http://127.0.0.1:9',
  IPFS_GATEWAYS: 'http://127.0.0.1:9',
};

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'configuration-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const gateway = 'src/main.ts';
const sandbox = 'packages/sandbox/src/main.ts';

/** Runs the gateway, or another program, until it ends by itself. */
async function run(
  env: Record<string, string>,
  nodeArguments: string[] = [],
  parameters: string[] = [],
  program = gateway,
) {
  const child = spawn(process.execPath, [...nodeArguments, program, ...parameters], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      SANDBOX_PORT: '0',
      SANDBOX_RPC_PORT: '0',
      DATA_DIR: join(directory, 'data'),
      LOG_LEVEL: 'error',
      ...env,
    },
    // A program that hangs is killed, and fails its test.
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.err += text;
  });
  const [code] = await once(child, 'close');
  expect(printed.out + printed.err, 'no secret is shown').not.toContain(secret);
  expect(printed.err, 'no stack is shown').not.toMatch(/^\s+at /m);
  return { code: code as number, ...printed };
}

/** Runs a program that must end with one line on stderr, and returns that line. */
async function refusal(
  env: Record<string, string>,
  nodeArguments: string[] = [],
  program = gateway,
): Promise<string> {
  const { code, out, err } = await run(env, nodeArguments, [], program);
  expect({ code, out, lines: err.trimEnd().split('\n') }).toEqual({
    code: 1,
    out: '',
    lines: [expect.any(String)],
  });
  return err.trimEnd();
}

/** Holds a port until `stop`. */
async function heldPort(): Promise<{ port: string; stop(): void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port: String(port), stop: () => server.close() };
}

describe('an invalid configuration', () => {
  it('ends the start with code 1 and all faults of gateway and sandbox', async () => {
    const { code, out, err } = await run({
      PORT: 'abc',
      DATABASE_URL: `mysql://gateway:${secret}@db.example/x`,
      DATABASE_DIRECT_URL: `http://gateway:${secret}@db.example/x`,
      SIGNALS_URL: `amqp://gateway:${secret}@queue.example`,
      SECRETS_KEY: secret,
      ISSUERS: `[{"address":"0x12","apiKey":"${secret}","colour":"red"}]`,
      SANDBOX_PORT: '70000',
      SANDBOX_WEBHOOK_KEY: secret,
      LOG_LEVEL: 'loud',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://trace:${secret}@collector.example`,
      OTEL_EXPORTER_OTLP_HEADERS: secret,
      OTEL_TRACES_SAMPLER_ARG: '2',
    });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const [first, ...faults] = err.trimEnd().split('\n');
    expect(first).toBe('The configuration cannot be used:');
    for (const name of [
      'PORT',
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'SIGNALS_URL',
      'SECRETS_KEY',
      'ISSUERS.0.address',
      'ISSUERS.0',
      'SANDBOX_PORT',
      'SANDBOX_WEBHOOK_URL, SANDBOX_WEBHOOK_KEY',
      'LOG_LEVEL',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_TRACES_SAMPLER_ARG',
    ])
      expect(
        faults.filter((fault) => fault.startsWith(`  - ${name}:`)),
        name,
      ).toHaveLength(1);
    expect(faults).toHaveLength(13);
  });

  it('is reported by the sandbox alone when its database addresses are invalid', async () => {
    const env = { DATABASE_URL: secret, DATABASE_DIRECT_URL: `mysql://sandbox:${secret}@db.example/x` };
    const { code, err } = await run(env, [], [], sandbox);
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      "The sandbox's settings cannot be used:",
      expect.stringMatching(/^ {2}- DATABASE_URL: must be a postgres:\/\/ address of one host/),
      expect.stringMatching(/^ {2}- DATABASE_DIRECT_URL: must be a postgres:\/\/ address of one host/),
    ]);
  });

  it('is reported by the sandbox alone when only DATABASE_DIRECT_URL is set', async () => {
    const { code, err } = await run({ DATABASE_DIRECT_URL: 'postgres://db.example/x' }, [], [], sandbox);
    expect(code).toBe(1);
    expect(err).toMatch(/^ {2}- DATABASE_DIRECT_URL: set DATABASE_URL too/m);
  });

  it.each([
    ['does not exist', undefined, /^ISSUERS_FILE: \S+issuers\.json does not exist$/],
    ['is not JSON', `[{"apiKey": "${secret}",]`, /^ISSUERS_FILE: \S+issuers\.json is not JSON$/],
    ['is not a list of issuers', `{"apiKey": "${secret}"}`, /^ISSUERS_FILE: must be a list of issuers/],
  ])('is reported when ISSUERS_FILE %s', async (_, content, fault) => {
    const file = join(directory, 'issuers.json');
    rmSync(file, { force: true });
    if (content !== undefined) writeFileSync(file, content);
    const { code, err } = await run({ ...live, ISSUERS_FILE: file });
    expect(code).toBe(1);
    const [first, line, ...more] = err.trimEnd().split('\n');
    expect([first, more]).toEqual(['The configuration cannot be used:', []]);
    expect(line?.replace('  - ', '')).toMatch(fault);
  });

  it.each([
    ['the gateway’s', 'PORT', (port: string) => refusal({ ...live, PORT: port })],
    ['the sandbox’s', 'SANDBOX_PORT', (port: string) => refusal({ SANDBOX_PORT: port })],
    ['the chain’s', 'SANDBOX_RPC_PORT', (port: string) => refusal({ SANDBOX_RPC_PORT: port })],
    [
      'that of the sandbox alone',
      'SANDBOX_PORT',
      (port: string) => refusal({ SANDBOX_PORT: port }, [], sandbox),
    ],
  ])('is reported with the variable of a port in use: %s', async (_whose, name, start) => {
    const { port, stop } = await heldPort();
    const line = await start(port);
    stop();
    expect(line).toBe(
      `${name}: port ${port} is in use by another program. Stop that one, or set ${name} to a free port.`,
    );
  });

  it.each([
    ['PORT', 'SANDBOX_PORT'],
    ['PORT', 'SANDBOX_RPC_PORT'],
    ['SANDBOX_PORT', 'SANDBOX_RPC_PORT'],
  ])('is reported when %s and %s are the same port', async (one, other) => {
    const { err } = await run({ [one]: '4321', [other]: '4321' });
    expect(err).toBe(
      `The configuration cannot be used:\n  - ${one}, ${other}: each needs a port of its own, and both are 4321\n`,
    );
  });

  it('is reported in one line for a port in use, even if this interrupts the sandbox', async () => {
    const { port, stop } = await heldPort();
    // No block is mined, so the sandbox still waits for its first transactions when it is stopped.
    const env = {
      SANDBOX_MINING_INTERVAL_MS: '3600000',
      LOG_LEVEL: 'info',
      DATA_DIR: join(directory, 'cut-off'),
    };
    const line = await refusal({ ...env, PORT: port });
    stop();
    expect(line).toMatch(/^PORT: port \d+ is in use/);
  });

  it('is reported for a HOST of another machine, and for a DATA_DIR that is a file', async () => {
    expect(await refusal({ ...live, HOST: '192.0.2.1' })).toMatch(
      /^HOST, PORT: cannot listen on 192\.0\.2\.1/,
    );
    const file = join(directory, 'a-file');
    writeFileSync(file, '');
    expect(await refusal({ ...live, DATA_DIR: file })).toMatch(/^DATA_DIR: .*a-file cannot be used \(/);
  });

  it.runIf(process.platform === 'linux')('is reported for a DATA_DIR that cannot be created', async () => {
    expect(await refusal({ ...live, DATA_DIR: '/proc/none/data' })).toMatch(
      /^DATA_DIR: \/proc\/none\/data cannot be used \(ENOENT/,
    );
  });

  it('is reported for an unreachable database, without its password', async () => {
    const { port } = new URL(await closedPort());
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `postgres://gateway:${secret}@${host}:${port}/records`;
      expect(await refusal({ ...live, DATABASE_URL: url, SECRETS_KEY: sealingKey })).toMatch(
        new RegExp(
          `^DATABASE_URL: the database records at ${host}:${port} cannot be used \\(.*ECONNREFUSED.*\\)\\. Check that it is up`,
        ),
      );
    }
  });

  it.runIf(process.env.TEST_DATABASE_URL)(
    'is reported for a database that its server does not have',
    async () => {
      const url = new URL(process.env.TEST_DATABASE_URL as string);
      url.pathname = '/no_such_database';
      expect(await refusal({ ...live, DATABASE_URL: url.href, SECRETS_KEY: sealingKey })).toMatch(
        /^DATABASE_URL: the database no_such_database at .*does not exist/,
      );
    },
  );

  it.runIf(process.env.TEST_DATABASE_URL)(
    'is reported when the database permits too few connections for a start',
    async () => {
      const { database, url, drop } = await testDatabase();
      const db = new Kysely({ dialect: database.dialect });
      const role = `one_connection_${randomUUID().replaceAll('-', '')}`;
      await sql`create role ${sql.id(role)} login connection limit 2`.execute(db);
      const limited = new URL(url as string);
      await sql`grant create on database ${sql.id(limited.pathname.slice(1))} to ${sql.id(role)}`.execute(db);
      limited.username = role;
      try {
        expect(await refusal({ ...live, DATABASE_URL: limited.href, SECRETS_KEY: sealingKey })).toMatch(
          /^The database became unavailable \(too many connections for role.*DATABASE_POOL/,
        );
      } finally {
        await sql`drop owned by ${sql.id(role)}`.execute(db);
        await sql`drop role ${sql.id(role)}`.execute(db);
        await drop();
      }
    },
  );

  it('is reported for SECRETS_KEY when another key has encrypted the secrets in the database', async () => {
    const DATA_DIR = join(directory, 'of-another-key');
    const database = await openDatabase({ url: undefined, dataDir: DATA_DIR }, silent);
    await registerSealingKeys(await openTables(database), new SecretBox(Buffer.alloc(32, 8)));
    await database.close();
    expect(await refusal({ ...live, DATA_DIR, SECRETS_KEY: sealingKey })).toMatch(
      /^SECRETS_KEY: another key has encrypted/,
    );
  });

  it('is reported with the variables to set when no sandbox is installed, as in the image', async () => {
    const observer = ['--import', './test/_util/observe-process.ts'];
    const env = { OBSERVE_FILE: join(directory, 'observed'), PRODUCTION_ONLY: '1' };
    expect(await refusal(env, observer)).toMatch(
      /^COMMERCE_URL, SUBGRAPH_URL, IPFS_GATEWAYS: missing\. This installation has no sandbox/,
    );
  });
});

describe('a variable with a misspelled name', () => {
  const all = [...ofGateway, ...ofSandbox];
  const set = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'x']));

  it.each([
    ['IPFS_GATEWAY', 'IPFS_GATEWAYS'],
    ['SUBGRAPH_URLS', 'SUBGRAPH_URL'],
    ['ISSUER', 'ISSUERS'],
    ['COMERCE_URL', 'COMMERCE_URL'],
    ['SANDBOX_MINING_INTERVAL', 'SANDBOX_MINING_INTERVAL_MS'],
  ])('gets a hint: %s', (name, hint) => {
    expect(typoHints({ [name]: 'x' }, all)).toEqual([`${name} is not read. Did you mean ${hint}?`]);
    expect(typoHints({ [name]: 'x', [hint]: 'y' }, all), 'it is another program’s').toEqual([]);
  });

  it('does not include usual variables, or those of the other program', () => {
    const usual = [
      ...['PATH', 'HOME', 'HOSTNAME', 'HOSTS', 'PORTS', 'USER', 'LOGNAME', 'LANG', 'TERM', 'SHLVL', 'PGDATA'],
      ...['NODE_ENV', 'NODE_OPTIONS', 'npm_config_loglevel', 'npm_package_name', 'npm_lifecycle_script'],
      ...[
        'KUBERNETES_PORT',
        'KUBERNETES_SERVICE_HOST',
        'GATEWAY_PORT',
        'GATEWAY_SERVICE_PORT',
        'SSL_CERT_DIR',
      ],
      ...['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'],
      ...['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'OTEL_TRACES_SAMPLER'],
      ...[
        'POSTGRES_URL',
        'REDIS_URL',
        'PUBLIC_KEY',
        'JWT_SECRET',
        'API_KEY',
        'XDG_DATA_DIRS',
        'TEST_DATABASE_URL',
      ],
    ];
    expect(typoHints(set(usual), all)).toEqual([]);
    expect(typoHints(set(ofSandbox), ofGateway)).toEqual([]);
    expect(typoHints(set(ofGateway), [...ofSandbox, 'DATA_DIR', 'DATABASE_URL'])).toEqual([]);
  });

  it.each([
    [gateway, { ...live, ISSUER: secret }, 'PORT', 'ISSUER is not read. Did you mean ISSUERS?'],
    [
      sandbox,
      { SANDBOX_WEBHOOK_KEYS: secret },
      'SANDBOX_PORT',
      'SANDBOX_WEBHOOK_KEYS is not read. Did you mean SANDBOX_WEBHOOK_KEY?',
    ],
  ])('is logged at the start of %s', async (program, env, portName, warning) => {
    const { port, stop } = await heldPort();
    const { err } = await run({ ...env, [portName]: port, LOG_LEVEL: 'warn' }, [], [], program);
    stop();
    const [line = '', ...more] = err.trimEnd().split('\n');
    expect(JSON.parse(line)).toMatchObject({ level: 40, msg: warning });
    expect(more.at(-1)).toMatch(`${portName}: `);
  });

  it('is reported beside the missing variable for which it was meant', async () => {
    const { COMMERCE_URL, ...others } = live;
    const { code, err } = await run({ ...others, COMERCE_URL: COMMERCE_URL });
    expect(code).toBe(1);
    expect(err).toMatch(/^ {2}- COMMERCE_URL: missing\./m);
    expect(err).toMatch(/^ {2}- COMERCE_URL is not read\. Did you mean COMMERCE_URL\?$/m);
  });
});

describe('a live service without DATABASE_URL and PUBLIC_URL', () => {
  it('starts with a warning for each, unlike the sandbox', async () => {
    const { port, stop } = await heldPort();
    const { err } = await run({ ...live, PORT: port, LOG_LEVEL: 'warn' });
    const alone = await refusal({ PORT: port, LOG_LEVEL: 'warn' });
    stop();
    const lines = err.trimEnd().split('\n');
    const warnings = [/^DATABASE_URL is not set/, /^PUBLIC_URL is not set/];
    expect(lines.splice(0, 2).map((line) => JSON.parse(line))).toMatchObject(
      warnings.map((start) => ({ level: 40, msg: expect.stringMatching(start) })),
    );
    expect(lines).toEqual([alone]);
    expect(alone).toMatch(/^PORT: /);
  });
});

describe('a data directory', () => {
  it('is refused while another gateway uses it', async () => {
    const [port] = await freePorts(1);
    const env = { ...live, PORT: String(port), DATA_DIR: join(directory, 'data') };
    const first = spawn(process.execPath, ['src/main.ts'], { cwd: project, stdio: 'ignore', env });
    try {
      await expect
        .poll(
          () =>
            fetch(`http://127.0.0.1:${port}/health/ready`).then(
              ({ ok }) => ok,
              () => false,
            ),
          {
            timeout: 30_000,
          },
        )
        .toBe(true);
      expect(await refusal({ ...env, PORT: '0' })).toMatch(/data is in use by another process\. .*DATA_DIR/);
    } finally {
      first.kill('SIGTERM');
      await once(first, 'exit');
    }
  });
});

describe('the command line', () => {
  it('shows its help and ends with code 0, even if the environment is invalid', async () => {
    const { code, out, err } = await run({ PORT: 'abc' }, [], ['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: npm start\n/);
  });

  it.each([
    [gateway, 'npm start'],
    [sandbox, 'npm run sandbox'],
  ])('of %s refuses an unknown option, and names --help', async (program, command) => {
    const { code, err } = await run({}, [], ['--prot', '4000'], program);
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^Unknown option '--prot'.* \\(${command} -- --help\\)\n$`));
  });
});
