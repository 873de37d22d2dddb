#!/usr/bin/env node
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { postgresUrl } from '@srr-gateway/common/database/postgres-url';
import { createLogger } from '@srr-gateway/common/log';
import { readArguments } from '@srr-gateway/common/read-arguments';
import { fileVariable, setBy, withSecretFiles } from '@srr-gateway/common/secret-files';
import { reasonOf, StartError } from '@srr-gateway/common/start-error';
import { stopOnSignals } from '@srr-gateway/common/stop-signals';
import { typoHints } from '@srr-gateway/common/typo-hints';
import { readSettings, type Sandbox, SettingsError, startSandbox, variableNames } from './start.ts';

const help = `Usage: npm run sandbox

A complete local issuance service: commerce API, storage, EVM, subgraph, IPFS gateway, webhooks.

  DATA_DIR                     the directory of all state (./data/sandbox)
  DATABASE_URL                 PostgreSQL for the tables; absent: embedded in DATA_DIR
  DATABASE_DIRECT_URL          PostgreSQL itself, when DATABASE_URL is a PgBouncer in transaction mode
  SANDBOX_HOST, SANDBOX_PORT   where it listens (127.0.0.1, 4001)
  SANDBOX_RPC_PORT             JSON-RPC of the EVM (8545)
  SANDBOX_PUBLIC_URL           its address as clients see it, if it differs
  SANDBOX_HASH_DELAY_MS        upload to hash and cid (1000)
  SANDBOX_MINING_INTERVAL_MS   between blocks (1000)
  SANDBOX_INDEX_LAG_MS         how far the subgraph trails the chain (500)
  SANDBOX_WEBHOOK_URL, _KEY    where outcomes are reported, and the x-api-key sent there
  SANDBOX_WEBHOOK_KEY_FILE, DATABASE_URL_FILE, DATABASE_DIRECT_URL_FILE   files that hold these
  SANDBOX_WEBHOOK_ATTEMPTS, _BACKOFF_MS, _TIMEOUT_MS   (5, 1000, 10000)
  SANDBOX_WEBHOOK_FAILURE_TYPE type of deliveries of failed issuances (issue_failed)
  SANDBOX_SRR_QUOTA, SANDBOX_NFC_ALLOWANCE             per licensed user (100000 each)
  SANDBOX_MISSING_FILES        form of fileMetadata's 404: envelope or array (envelope)
  SANDBOX_FILE_LIMIT_BYTES, SANDBOX_HASH_LIMIT_BYTES   limits of uploads and of hashing (2 GiB, 20 GiB)
  LOG_LEVEL                    the level of its log (info)
  SANDBOX_FIXTURES             on or off: an empty DATA_DIR gets a seeded world (on)
  VENDOR_PATH, VENDOR_PREFIX   the vendor's names in paths and fields (vendor)

  -h, --help                   this text

Programs read all addresses and play keys from GET /sandbox.
`;

const databaseAddresses = ['DATABASE_URL', 'DATABASE_DIRECT_URL'] as const;

async function main(): Promise<void> {
  const { values } = readArguments('npm run sandbox -- --help', {
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const settings = readSettings(process.env);
  const faults: string[] = [];
  const env = withSecretFiles(process.env, databaseAddresses, faults);
  for (const name of databaseAddresses) {
    const { error } = postgresUrl.safeParse(env[name]);
    if (env[name] && error) faults.push(`${setBy(process.env, name)}: ${error.issues[0]?.message}`);
  }
  if (env.DATABASE_DIRECT_URL && !env.DATABASE_URL)
    faults.push('DATABASE_DIRECT_URL: set DATABASE_URL too; without a pooler, set that one alone');
  if (faults.length > 0) throw new SettingsError(faults);
  const log = createLogger({ level: settings.logLevel, name: 'sandbox' });
  const read = [
    ...variableNames,
    'DATA_DIR',
    ...databaseAddresses.flatMap((name) => [name, fileVariable(name)]),
  ];
  for (const warning of typoHints(process.env, read)) log.warn(warning);
  const dataDir = process.env.DATA_DIR || './data/sandbox';
  const database = await openDatabase(
    { url: env.DATABASE_URL || undefined, directUrl: env.DATABASE_DIRECT_URL || undefined, dataDir },
    log,
  );
  const sandbox = await startSandbox({ settings, database, dataDir, log }).catch(async (error) => {
    await database.close();
    throw error;
  });
  process.stdout.write(summary(sandbox));
  void sandbox.lost.then(fail);

  stopOnSignals(async () => {
    await sandbox.stop();
    await database.close();
  }, log);
}

function summary({ info }: Sandbox): string {
  const [issuer] = info.issuers;
  return [
    `Sandbox        ${info.commerceUrl}/sandbox`,
    `Commerce API   ${info.commerceUrl}/port/api/v1/commerce`,
    `Subgraph       ${info.subgraphUrl}`,
    `IPFS gateway   ${info.ipfsUrl}/ipfs/<cid>`,
    `EVM JSON-RPC   ${info.rpcUrl}`,
    `Default issuer ${issuer?.address} (commerce-api-key: ${issuer?.apiKey})`,
    '',
    'A gateway in front of it:',
    `  export COMMERCE_URL=${info.commerceUrl} SUBGRAPH_URL=${info.subgraphUrl} \\`,
    `    IPFS_GATEWAYS=${info.ipfsUrl} REGISTRY_ADDRESS=${info.registryAddress}`,
    '',
  ].join('\n');
}

function fail(error: unknown): never {
  const expected = error instanceof SettingsError || error instanceof StartError;
  process.stderr.write(`${expected ? error.message : reasonOf(error)}\n`);
  process.exit(1);
}

main().catch(fail);
