import { type ObservedGateway, observedGateway } from './flow/gateway.ts';
import { issueAndFollow } from './flow/issue.ts';
import type { Seen } from './flow/notes.ts';
import { quarters, type Run, report } from './flow/report.ts';
import { readOptions } from './options.ts';

const help = `Usage: npm run bench:flow -- [options]

Runs issuances through one gateway, with the sandbox as the service in a separate process, and measures the time
that the gateway adds to that of the service.

  --issuances N   number of issuances (1000)
  --records N     records of each issuance (3)
  --clients N     concurrent clients; each sends its next issuance when the last is COMPLETED (8)
  --help          this text

TEST_DATABASE_URL=postgres://… uses that database instead of the embedded one.

The overhead of an issuance is the time from sending its mutation until its client receives COMPLETED, less the
time in which the gateway waits for upstreams: from sending the head of each upstream request to reading the last
byte of its response, and from the response of POST /srrs to the arrival of the webhook with the last outcome.
Queues inside the gateway, its store, the hop to the client and the client's subscription all count as overhead.
So does the time in which the processors are busy with the sandbox and the chain, which share the machine. A
response that is unread while the gateway is busy counts as waiting: the event-loop delay is the limit of that.
`;

const values = readOptions('npm run bench:flow', {
  issuances: { type: 'string', default: '1000' },
  records: { type: 'string', default: '3' },
  clients: { type: 'string', default: '8' },
  help: { type: 'boolean', short: 'h', default: false },
});
const issuances = Number(values.issuances);
const records = Number(values.records);
const clients = Number(values.clients);

/** Warm-up: compiles hot code and fills pools and caches, so that these are not measured. */
const warmUps = 20;
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
  await issueMany(Math.min(warmUps, issuances));
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

if (values.help) process.stdout.write(help);
else if (![issuances, records, clients].every((count) => Number.isSafeInteger(count) && count > 0)) {
  process.stderr.write('--issuances, --records and --clients are whole numbers of 1 or more.\n');
  process.exitCode = 1;
} else {
  const gateway = await observedGateway();
  try {
    process.stdout.write(report(await run(gateway), { records, clients }));
  } finally {
    await gateway.stop();
  }
}
