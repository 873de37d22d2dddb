import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type ObservedGateway, observedGateway } from './flow/gateway.ts';
import { issueAndFollow } from './flow/issue.ts';
import type { Note, ProcessNote, Seen } from './flow/notes.ts';
import { percentile, type Spent, timeSpent } from './flow/overhead.ts';

const help = `Usage: npm run bench:flow -- [options]

Carries issuances through one gateway, whose service is the sandbox in a process of its own, and tells what
the gateway added to the time that the service took.

  --issuances N   how many (1000)
  --records N     of how many records each (3)
  --clients N     how many at once; each client sends its next one when the last is COMPLETED (8)
  --help          this text

TEST_DATABASE_URL=postgres://… keeps the state there instead of in the embedded database.

The overhead of an issuance is the time from its mutation being sent to its client hearing COMPLETED, less
the time in which the gateway waited for upstreams on its behalf: from the head of each upstream request
being sent to the last byte of its answer being read, and from the answer of POST /srrs to the arrival of
the webhook with the last outcome. Queues inside the gateway, its store, the hop to the client and the
client's subscription all count as overhead; so does every moment in which the processors are busy with the
sandbox and the chain, which share the machine. An answer that lies unread while the gateway is busy counts
as waiting: the event-loop delay tells how long that can be.
`;

const { values } = parseArgs({
  options: {
    issuances: { type: 'string', default: '1000' },
    records: { type: 'string', default: '3' },
    clients: { type: 'string', default: '8' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const issuances = Number(values.issuances);
const records = Number(values.records);
const clients = Number(values.clients);

/** Compiles what runs often and fills pools and caches, so that neither is measured. */
const warmUps = 20;
/** Shares of the run after which the gateway is looked at. */
const quarters = 4;

interface Run {
  seen: Seen[];
  notes: Note[];
  usage: ProcessNote[];
  seconds: number;
}

async function run(gateway: ObservedGateway): Promise<Run> {
  const picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  const issueMany = async (count: number) => {
    const seen: Seen[] = [];
    let left = count;
    const client = async () => {
      while (left > 0) {
        left -= 1;
        seen.push(await issueAndFollow(gateway, picture, records));
      }
    };
    await Promise.all(Array.from({ length: Math.min(clients, count) }, client));
    return seen;
  };
  await issueMany(warmUps);
  const all: Run = { seen: [], notes: [], usage: [(await gateway.observe()).usage], seconds: 0 };
  for (let quarter = 0; quarter < quarters; quarter += 1) {
    const count =
      Math.floor(((quarter + 1) * issuances) / quarters) - Math.floor((quarter * issuances) / quarters);
    const startedAt = performance.now();
    all.seen.push(...(await issueMany(count)));
    all.seconds += (performance.now() - startedAt) / 1000;
    const { notes, usage } = await gateway.observe();
    all.notes.push(...notes);
    all.usage.push(usage);
    process.stderr.write(`${all.seen.length} of ${issuances} issuances\n`);
  }
  return all;
}

function report({ seen, notes, usage, seconds }: Run): string {
  const spent = timeSpent(seen, notes);
  const counted = Map.groupBy(
    spent.flatMap(({ calls }) => calls),
    (call) => call,
  );
  const per = [...counted].map(([call, all]) => `${call} ${(all.length / seen.length).toFixed(2)}`);
  const line = (name: string, of: (one: Spent) => number) => [
    name,
    ...[0.5, 0.99, 1].map((share) => percentile(spent.map(of), share).toFixed(1)),
  ];
  const cpuMs = ((usage.at(-1)?.cpuMs ?? 0) - (usage[0]?.cpuMs ?? 0)) / seen.length;
  const mb = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  return [
    `${seen.length} issuances of ${records} records by ${clients} clients, ${availableParallelism()} processors, ` +
      `${process.env.TEST_DATABASE_URL ? 'PostgreSQL' : 'the embedded database'}`,
    '',
    `throughput: ${(seen.length / seconds).toFixed(1)} issuances/s, ${((seen.length * records) / seconds).toFixed(1)} records/s`,
    `processor time of the gateway: ${cpuMs.toFixed(1)} ms an issuance`,
    `upstream calls an issuance: ${per.join(', ')}`,
    '',
    table([
      ['ms of an issuance', 'p50', 'p99', 'max'],
      line('mutation to COMPLETED', ({ total }) => total),
      line('overhead', ({ overhead }) => overhead),
      line('  until it is stored', ({ storing }) => storing),
      line('  until a worker takes it', ({ queued }) => queued),
      line('  until the first call', ({ starting }) => starting),
      line('  between and after calls', ({ between }) => between),
      line('  after the last outcome', ({ after }) => after),
    ]),
    '',
    table([
      ['gateway, after gc', ...usage.map((_, i) => (i === 0 ? 'start' : `${(100 * i) / quarters}%`))],
      ['RSS MB', ...usage.map(({ rss }) => mb(rss))],
      ['heap MB', ...usage.map(({ heapUsed }) => mb(heapUsed))],
      ['outside the heap MB', ...usage.map(({ external }) => mb(external))],
      ['p99 event-loop delay ms', ...usage.map(({ loopDelayMs }) => loopDelayMs.toFixed(1))],
    ]),
    '',
  ].join('\n');
}

function table(rows: string[][]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

if (values.help) process.stdout.write(help);
else if (![issuances, records, clients].every((count) => Number.isSafeInteger(count) && count > 0)) {
  process.stderr.write('--issuances, --records and --clients are whole numbers of 1 or more.\n');
  process.exitCode = 1;
} else {
  const gateway = await observedGateway();
  try {
    process.stdout.write(report(await run(gateway)));
  } finally {
    await gateway.stop();
  }
}
