import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { readOptions } from './options.ts';
import { stopDeployments } from './scale/deployment.ts';
import { type Figures, measure } from './scale/measure.ts';
import { picture } from './scale/picture.ts';
import { report } from './scale/report.ts';

const help = `Usage: TEST_DATABASE_URL=postgres://… npm run bench:scale -- [options]

Measures replicas behind nginx on one PostgreSQL: the reads and deliveries a second at which the 99th percentile of
the latency reaches a limit, and the processor time of each read, delivery, subscriber and issuance, for gateway,
nginx, PostgreSQL and upstream.

  --replicas N,N,…     numbers of replicas, with one deployment for each (1,2,4)
  --share S            share of a processor for each replica, so that several have their own share on a small
                       machine; 0: no limit (0.2). With a fifth of a processor the pauses of the garbage
                       collector are five times as long, so the latency limits are high
  --subscribers N      event streams, measured last and without --share (10000)
  --reads-p99 MS       limit of the 99th percentile for reads (500)
  --deliveries-p99 MS  the same for deliveries, whose response comes after the commit (1000)
  --seconds N          duration of each rate (6)
  --issuances N        issuances of three records each, by eight clients (100)
  --json FILE          writes the figures to this file
  --picture FILE       draws p99 over the rate, as an SVG
  --help               this text

Reads are those of a catalogue: of ten, seven read one record, chosen with a long tail, two a page of 50, and one a
page with transfers. Every fifth read has a token, and a block comes every two seconds. Half of the deliveries
report the outcome of a pending record. Requests are sent at a fixed rate, even if responses are late, and latency
counts from the time a request was due. The sources are stand-ins; the sandbox is the service for issuances. The
database server must be local, with files that this user can read. Needs nginx, root and Linux, and a file
descriptor for each subscriber: ulimit -n.
`;

const values = readOptions('npm run bench:scale', {
  replicas: { type: 'string', default: '1,2,4' },
  share: { type: 'string', default: '0.2' },
  subscribers: { type: 'string', default: '10000' },
  'reads-p99': { type: 'string', default: '500' },
  'deliveries-p99': { type: 'string', default: '1000' },
  seconds: { type: 'string', default: '6' },
  issuances: { type: 'string', default: '100' },
  json: { type: 'string' },
  picture: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
});

const counts = values.replicas.split(',').map(Number);
const sizes = {
  share: Number(values.share),
  subscribers: Number(values.subscribers),
  seconds: Number(values.seconds),
  readsP99: Number(values['reads-p99']),
  deliveriesP99: Number(values['deliveries-p99']),
  issuances: Number(values.issuances),
};

async function run(): Promise<void> {
  const all: Figures[] = [];
  for (const replicas of counts)
    all.push(await measure(replicas, sizes, (line) => process.stderr.write(`${line}\n`)));
  process.stdout.write(report(all));
  const processors = `${cpus().length} processors for everything`;
  const on = sizes.share ? `${processors}, ${sizes.share} of one for each replica.` : `${processors}.`;
  if (values.json)
    await writeFile(values.json, `${JSON.stringify({ at: new Date(), on, sizes, figures: all })}\n`);
  if (values.picture) await writeFile(values.picture, picture(all, sizes, on));
}

const whole = [...counts, sizes.subscribers, sizes.issuances];
const fault = !whole.every((count) => Number.isSafeInteger(count) && count > 0)
  ? '--replicas, --subscribers and --issuances are whole numbers of 1 or more.'
  : !(sizes.seconds > 1 && sizes.readsP99 > 0 && sizes.deliveriesP99 > 0 && sizes.share >= 0)
    ? '--seconds is more than 1, --reads-p99 and --deliveries-p99 more than 0, --share 0 or more.'
    : !process.env.TEST_DATABASE_URL
      ? 'TEST_DATABASE_URL must be the postgres:// address of a local server.'
      : undefined;

let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopped = true;
    void stopDeployments().finally(() => process.exit(1));
  });

if (values.help) process.stdout.write(help);
else if (fault) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else
  await run().catch((error: unknown) => {
    // Work in progress fails when the deployment ends.
    if (!stopped) throw error;
  });
