import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { App } from './app.ts';
import {
  type Config,
  ConfigError,
  type Issuer,
  liveNames,
  loadConfig,
  type Secrets,
  type Upstreams,
} from './config/config.ts';
import { followIssuersFile } from './config/issuers-file.ts';
import type { Showcase } from './graphql/server/graphiql.ts';
import { type Address, parseAddress } from './lib/address.ts';
import { type Database, openDatabase } from './lib/database/database.ts';
import { createLogger, type Logger } from './lib/log.ts';
import { listenError, reasonOf, StartError } from './lib/start-error.ts';
import { stopOnSignals } from './lib/stop-signals.ts';
import { sleep } from './lib/time.ts';
// Types only: the sandbox's code is loaded when nothing else stands behind the gateway.
import type { SandboxInfo, SandboxSettings } from './sandbox/start.ts';
import { endWith } from './start/end.ts';
import { welcome } from './start/welcome.ts';

const help = `Usage: npm start

GraphQL over an issuance service, its subgraph and its IPFS gateway.

Without configuration everything runs on this machine: the state in ./data, and a sandbox in the
place of the service. Set COMMERCE_URL, SUBGRAPH_URL, IPFS_GATEWAYS and ISSUERS for a live service,
and DATABASE_URL for PostgreSQL. OTEL_EXPORTER_OTLP_ENDPOINT sends traces to a collector.
README.md lists every variable.

  -h, --help    this text
`;

/** Accepted only while the sandbox stands in: it opens nothing that is worth anything. */
const demoToken = 'demo-token';
/** The same, for deliveries that somebody makes up by hand. */
const demoWebhookKey = 'demo-webhook-key';

async function main(): Promise<void> {
  const { values } = readArguments();
  if (values.help) return void process.stdout.write(help);
  const settings = await readConfiguration(process.env);
  const log = createLogger({ level: settings.config.logLevel, name: 'gateway' });
  const running = new AsyncDisposableStack();
  let stopped: Promise<void> | undefined;
  // Once, and waited for by everybody: a process that ended before it would leave its chain behind.
  const stop = () => {
    stopped ??= running.disposeAsync();
    return stopped;
  };
  const starting = start(settings, log, running);
  stopOnSignals(async () => {
    // What is half started cannot be stopped: it would go on, and leave its chain behind.
    await Promise.race([starting.catch(() => {}), sleep(startedWithinMs)]);
    await stop();
  }, log);
  try {
    await starting;
  } catch (error) {
    const asked = stopped !== undefined;
    await stop();
    // A start that was stopped fails somewhere on its way; that is no fault to report.
    if (!asked) throw error;
  }
}

function readArguments() {
  try {
    return parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  } catch (cause) {
    throw new StartError(`${reasonOf(cause)} (npm start -- --help)`, { cause });
  }
}

/** A start that hangs (a database that does not answer) holds up a stop no longer than this. */
const startedWithinMs = 6_000;

interface Settings {
  config: Config;
  secrets: Secrets;
  /** Absent with a live service behind the gateway. */
  sandbox: SandboxSettings | undefined;
}

/** The gateway's settings and, when it stands in, the sandbox's: every fault of both at once. */
async function readConfiguration(env: NodeJS.ProcessEnv): Promise<Settings> {
  const faults: string[] = [];
  const gateway = withFaults(faults, () => loadConfig(env));
  const live = liveNames.some((name) => env[name]);
  const sandbox = live ? undefined : await sandboxSettings(env, faults);
  if (!gateway || faults.length > 0) throw new ConfigError([...new Set(faults)]);
  return { ...gateway, sandbox };
}

async function sandboxSettings(
  env: NodeJS.ProcessEnv,
  faults: string[],
): Promise<SandboxSettings | undefined> {
  const { readSettings } = await import('./sandbox/settings.ts').catch(noSandboxHere);
  return withFaults(faults, () => readSettings(env));
}

function withFaults<T>(faults: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { faults: found } = error as { faults?: string[] };
    if (!found) throw error;
    faults.push(...found);
    return undefined;
  }
}

/** The image and an installation without development packages have the gateway alone. */
function noSandboxHere(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
  throw new StartError(
    `${liveNames.join(', ')}: missing. This installation has no sandbox to stand in for them: set all three,` +
      ' or install the development packages too (npm ci).',
    { cause },
  );
}

/** Starts what the settings ask for; `running` gets what a stop has to end. */
async function start(
  { config, secrets, sandbox }: Settings,
  log: Logger,
  running: AsyncDisposableStack,
): Promise<void> {
  // Modules load while the database opens: together they are most of a start.
  const opening = openDatabase(
    { url: secrets.databaseUrl, dataDir: config.dataDir, poolSize: config.databasePool },
    log,
  );
  // Caught here and now: it may fail while something else is still waited for.
  const opened = opening.catch(() => undefined);
  running.defer(async () => (await opened)?.close());
  if (sandbox) return startWithSandbox({ config, secrets, sandbox, opening, log, running });
  const [{ startApp }, database] = await Promise.all([import('./app.ts'), opening]);
  // Stopped meanwhile: what was to be stopped is, and nothing new may begin.
  if (running.disposed) return;
  const app = await startApp({ config, secrets, upstreams: config.upstreams as Upstreams, database, log });
  if (running.disposed) return app.stop();
  running.defer(() => app.stop());
  followIssuers(app, config, log, running);
  process.stdout.write(`srr-gateway  ${app.url}/graphql\n`);
}

function followIssuers(app: App, config: Config, log: Logger, running: AsyncDisposableStack): void {
  if (config.issuersFile === undefined) return;
  running.defer(followIssuersFile(config.issuersFile, (issuers) => app.replaceIssuers(issuers), log));
}

interface SandboxRun {
  config: Config;
  secrets: Secrets;
  sandbox: SandboxSettings;
  opening: Promise<Database>;
  log: Logger;
  running: AsyncDisposableStack;
}

/** The whole product on one machine: the sandbox first, then the gateway in front of it. */
async function startWithSandbox(run: SandboxRun): Promise<void> {
  const { config, secrets, opening, log, running } = run;
  const { startSandbox } = await import('./sandbox/start.ts').catch(noSandboxHere);
  const sandboxStarting = startSandbox({
    settings: run.sandbox,
    database: opening,
    dataDir: `${config.dataDir}/sandbox`,
    log: createLogger({ level: config.logLevel, name: 'sandbox' }),
  }).catch((error: unknown) => {
    throw listenError(error, run.sandbox.host, run.sandbox.port, ['SANDBOX_HOST', 'SANDBOX_PORT']);
  });
  const started = sandboxStarting.catch(() => undefined);
  running.defer(async () => (await started)?.stop());
  const [{ startApp }, sandbox] = await Promise.all([import('./app.ts'), sandboxStarting]);
  if (running.disposed) return;
  const issuers = secrets.issuers.length > 0 ? secrets.issuers : demoIssuers(sandbox.info);
  const app = await startApp({
    config,
    secrets: { ...secrets, issuers },
    upstreams: upstreamsOf(sandbox.info),
    database: await opening,
    log,
    showcase: showcaseOf(sandbox.info),
  });
  if (running.disposed) return app.stop();
  running.defer(() => app.stop());
  followIssuers(app, config, log, running);
  for (const { address, webhookKeys } of issuers)
    if (webhookKeys[0])
      sandbox.setWebhook({ issuer: address, url: `${app.url}/webhooks/commerce`, key: webhookKeys[0] });
  const demo = { token: demoToken, webhookKey: demoWebhookKey };
  process.stdout.write(welcome(app.url, sandbox.info, secrets.issuers.length > 0 ? undefined : demo));
}

function upstreamsOf(info: SandboxInfo): Upstreams {
  return {
    commerceUrl: info.commerceUrl,
    subgraphUrls: [info.subgraphUrl],
    ipfsGateways: [info.ipfsUrl],
    registryAddress: parseAddress(info.registryAddress),
  };
}

/** The sandbox's issuers, the first with the demo token and key; other webhook keys are made anew at each start. */
function demoIssuers(info: SandboxInfo): Issuer[] {
  return info.issuers.map(({ address, apiKey }, i) => ({
    address: parseAddress(address) as Address,
    apiKey,
    webhookKeys: [i === 0 ? demoWebhookKey : randomBytes(24).toString('base64url')],
    signingSecrets: [],
    tokens: i === 0 ? [{ token: demoToken, scopes: ['read', 'upload', 'issue'] }] : [],
  }));
}

function showcaseOf({ artists, buyers }: SandboxInfo): Showcase {
  return { token: demoToken, variables: { artist: artists[0]?.address, buyer: buyers[0]?.address } };
}

main().catch(endWith);
