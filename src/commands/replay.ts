import { parseAddress } from '@srr-gateway/common/address';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { createLogger } from '@srr-gateway/common/log';
import { readArguments } from '@srr-gateway/common/read-arguments';
import { StartError } from '@srr-gateway/common/start-error';
import { loadConfig } from '../config/config.ts';
import { decodeCursor } from '../events/cursor.ts';
import { replayEvents } from '../events/replay.ts';
import { applyDeliveries } from '../issuance/apply-deliveries.ts';
import { exitWithError } from '../start/exit-with-error.ts';
import { openStore } from '../store/store.ts';

const help = `Usage: npm run replay -- --issuer ADDRESS [--after CURSOR]

Applies the stored deliveries of an issuer again, as if they came now: each settles its records. Deliveries
that were not recognized, and whose type is now in WEBHOOK_TYPES, are added to the log under their type, so
that subscribers get them. A replay is idempotent and undoes nothing.

  --issuer ADDRESS   whose log
  --after CURSOR     replay only events after this "cursor"; absent: the whole log
  -h, --help         this text

It reads the gateway's environment variables. With DATABASE_URL it runs beside the gateway. Only one process
can open the embedded database, so stop the gateway first.
`;

async function main(): Promise<void> {
  const { values } = readArguments('npm run replay -- --help', {
    options: {
      issuer: { type: 'string' },
      after: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const issuer = parseAddress(values.issuer ?? '');
  if (!issuer) throw new StartError('--issuer: must be an Ethereum address (npm run replay -- --help)');
  const after = values.after === undefined ? '0' : decodeCursor(issuer, values.after);
  const { config, secrets } = loadConfig(process.env);
  const log = createLogger({ level: config.logLevel, name: 'replay' });
  const { databaseUrl: url, databaseDirectUrl: directUrl, signalsUrl } = secrets;
  const database = await openDatabase({ url, directUrl, dataDir: config.dataDir, poolSize: 2 }, log);
  try {
    // The whole store, with signals, because running gateways must learn of added events.
    const store = await openStore(database, signalsUrl === undefined ? undefined : { url: signalsUrl, log });
    const { events, recognized } = await replayEvents({
      db: store.db,
      issuer,
      after,
      reading: {
        deliveryTypes: config.webhookTypes,
        registryAddress: config.upstreams?.registryAddress,
      },
      apply: applyDeliveries(config.timeouts.failureWatch),
    });
    await store.close();
    process.stdout.write(`${events} event(s) replayed, ${recognized} recognized only now.\n`);
  } finally {
    await database.close();
  }
}

main().catch(exitWithError);
