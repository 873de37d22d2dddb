import { parseAddress } from '@srr-gateway/common/address';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { createLogger } from '@srr-gateway/common/log';
import { readArguments } from '@srr-gateway/common/read-arguments';
import { StartError } from '@srr-gateway/common/start-error';
import { loadConfig } from '../config/config.ts';
import { decodeCursor } from '../events/cursor.ts';
import { replayEvents } from '../events/replay.ts';
import { judgeDeliveries } from '../issuance/judge.ts';
import { exitWithError } from '../start/exit-with-error.ts';
import { openTables } from '../store/store.ts';

const help = `Usage: npm run replay -- --issuer ADDRESS [--after CURSOR]

Does once more what the stored deliveries of an issuer did when they came: each settles the records that it
is about. Deliveries that were not recognized, and are of a kind that WEBHOOK_TYPES names by now, are added to
the log under their type, so that subscribers see them. Nothing is undone, and what was done is not done
twice: it may be repeated at will.

  --issuer ADDRESS   whose log
  --after CURSOR     only what came after this event (its "cursor"); absent: the whole log
  -h, --help         this text

It takes the gateway's own environment variables. With DATABASE_URL it runs beside the gateway; the embedded
database belongs to one process at a time, so stop the gateway first.
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
  const database = await openDatabase(
    { url: secrets.databaseUrl, dataDir: config.dataDir, poolSize: 2 },
    log,
  );
  try {
    const { events, recognized } = await replayEvents({
      db: await openTables(database),
      issuer,
      after,
      reading: {
        deliveryTypes: config.webhookTypes,
        registryAddress: config.upstreams?.registryAddress,
      },
      judge: judgeDeliveries(config.timeouts.failureWatch),
    });
    process.stdout.write(`${events} event(s) replayed, ${recognized} recognized only now.\n`);
  } finally {
    await database.close();
  }
}

main().catch(exitWithError);
