import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type App, startApp } from './app.ts';
import {
  type Config,
  ConfigError,
  type Issuer,
  loadConfig,
  type Secrets,
  type Upstreams,
} from './config/config.ts';
import type { Showcase } from './graphql/server/graphiql.ts';
import { type Address, parseAddress } from './lib/address.ts';
import { type Database, openDatabase } from './lib/database/database.ts';
import { createLogger, type Logger } from './lib/log.ts';
// Types only: the sandbox's code is loaded when nothing else stands behind the gateway.
import type { Sandbox, SandboxInfo } from './sandbox/start.ts';

const help = `Usage: npm start

GraphQL over an issuance service, its subgraph and its IPFS gateway.

Without configuration everything runs on this machine: the state in ./data, and a sandbox in the
place of the service. Set COMMERCE_URL, SUBGRAPH_URL, IPFS_GATEWAYS and ISSUERS for a live service,
and DATABASE_URL for PostgreSQL. README.md lists every variable.

  -h, --help    this text
`;

/** Accepted only while the sandbox stands in: it opens nothing that is worth anything. */
const demoToken = 'demo-token';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) return void process.stdout.write(help);
  const { config, secrets } = loadConfig(process.env);
  const log = createLogger({ level: config.logLevel, name: 'gateway' });
  const database = await openDatabase(
    { url: secrets.databaseUrl, dataDir: config.dataDir, poolSize: config.databasePool },
    log,
  );
  const running = new AsyncDisposableStack();
  running.defer(() => database.close());
  stopOnSignals(running, log);
  try {
    if (config.upstreams) {
      const app = await startApp({ config, secrets, upstreams: config.upstreams, database, log });
      running.defer(() => app.stop());
      process.stdout.write(`srr-gateway  ${app.url}/graphql\n`);
    } else await startWithSandbox({ config, secrets, database, log, running });
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

interface SandboxRun {
  config: Config;
  secrets: Secrets;
  database: Database;
  log: Logger;
  running: AsyncDisposableStack;
}

/** The whole product on one machine: the sandbox first, then the gateway in front of it. */
async function startWithSandbox({ config, secrets, database, log, running }: SandboxRun): Promise<void> {
  const { readSettings, startSandbox } = await import('./sandbox/start.ts');
  const settings = readSettings(process.env);
  const sandbox = await startSandbox({
    settings,
    database,
    dataDir: `${config.dataDir}/sandbox`,
    log: log.child({ name: 'sandbox' }),
  });
  running.defer(() => sandbox.stop());
  const issuers = secrets.issuers.length > 0 ? secrets.issuers : demoIssuers(sandbox.info);
  const app = await startApp({
    config,
    secrets: { ...secrets, issuers },
    upstreams: upstreamsOf(sandbox.info),
    database,
    log,
    showcase: showcaseOf(sandbox.info),
  });
  running.defer(() => app.stop());
  for (const { address, webhookKeys } of issuers)
    if (webhookKeys[0])
      sandbox.setWebhook({ issuer: address, url: `${app.url}/webhooks/commerce`, key: webhookKeys[0] });
  process.stdout.write(welcome(app, sandbox));
}

function upstreamsOf(info: SandboxInfo): Upstreams {
  return {
    commerceUrl: info.commerceUrl,
    subgraphUrls: [info.subgraphUrl],
    ipfsGateways: [info.ipfsUrl],
    registryAddress: parseAddress(info.registryAddress),
  };
}

/** The sandbox's issuers, the first with the demo token; webhook keys are made anew at each start. */
function demoIssuers(info: SandboxInfo): Issuer[] {
  return info.issuers.map(({ address, apiKey }, i) => ({
    address: parseAddress(address) as Address,
    apiKey,
    webhookKeys: [randomBytes(24).toString('base64url')],
    tokens: i === 0 ? [{ token: demoToken, scopes: ['read', 'upload', 'issue'] }] : [],
  }));
}

function showcaseOf({ artists, buyers }: SandboxInfo): Showcase {
  return { token: demoToken, variables: { artist: artists[0]?.address, buyer: buyers[0]?.address } };
}

function welcome({ url }: App, { info }: Sandbox): string {
  return `
srr-gateway is ready, with a sandbox behind it that lives on this machine.

  GraphiQL        ${url}/graphql
  Token           ${demoToken}   (header: Authorization: Bearer ${demoToken})
  Webhooks in     ${url}/webhooks/commerce

  Sandbox         ${info.commerceUrl}/sandbox   (addresses and play keys)
  Subgraph        ${info.subgraphUrl}
  IPFS gateway    ${info.ipfsUrl}/ipfs/<cid>
  EVM JSON-RPC    ${info.rpcUrl}

Issue real files and see the result:   npm run demo
A first query:

  curl ${url}/graphql -H 'content-type: application/json' -H 'authorization: Bearer ${demoToken}' \\
    -d '{"query":"{ viewer { issuer } sources { kind health } }"}'

`;
}

function stopOnSignals(running: AsyncDisposableStack, log: Logger): void {
  let stopping = false;
  const stop = async (signal: string) => {
    // A second signal means that somebody is tired of waiting.
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    await running.disposeAsync().catch((error: unknown) => log.error({ err: error }, 'stopping failed'));
    process.exit(0);
  };
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGTERM', () => void stop('SIGTERM'));
}

main().catch((error: unknown) => {
  const message =
    error instanceof ConfigError ? error.message : String(error instanceof Error ? error.message : error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
