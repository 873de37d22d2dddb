import type { LoadAnswer, LoadRequest } from './events/load.ts';
import { type Contender, startBare, startGateway } from './events/servers.ts';
import { percentile } from './flow/overhead.ts';
import { loadProcess } from './load-process.ts';
import { readOptions } from './options.ts';

const help = `Usage: npm run bench:events -- [options]

Measures how long an event takes from its delivery to its subscribers, and the memory of subscribers: for the
gateway, and in the same run for a bare node:http server that writes each delivery to its streams.

  --subscribers N   event streams that receive every delivery (1000)
  --deliveries N    number of deliveries, of one event each (100)
  --every N         milliseconds between two deliveries (200)
  --idle N          event streams without events, to measure their memory (10000)
  --help            this text

The latency is the time from sending the request of a delivery until a subscriber has the whole event, over all
subscribers and deliveries. One process, separate from the server, sends and receives. The gateway commits each
delivery to its store in that time; TEST_DATABASE_URL=postgres://… uses that database instead of the embedded one.
Memory is the resident memory of the server process, before and with the idle subscribers. Linux only. Each
subscriber takes a file descriptor on both sides: ulimit -n must allow it.
`;

const values = readOptions('npm run bench:events', {
  subscribers: { type: 'string', default: '1000' },
  deliveries: { type: 'string', default: '100' },
  every: { type: 'string', default: '200' },
  idle: { type: 'string', default: '10000' },
  help: { type: 'boolean', short: 'h', default: false },
});
const [subscribers, deliveries, everyMs, idle] = [
  values.subscribers,
  values.deliveries,
  values.every,
  values.idle,
].map(Number) as [number, number, number, number];

/** By then the garbage of opening the streams is collected. */
const settleMs = 3_000;

/** Runs a load in a separate process; calls `whileOpen` once all its subscribers are connected. */
async function load(
  { load }: Contender,
  sizes: Pick<LoadRequest, 'subscribers' | 'deliveries' | 'everyMs'>,
  whileOpen = async () => {},
): Promise<Extract<LoadAnswer, { kind: 'done' }>> {
  const running = loadProcess<LoadRequest, LoadAnswer>('events/load.ts');
  try {
    await running.ask({ ...load, ...sizes });
    const done = running.hear();
    await whileOpen();
    const answer = await done;
    if (answer.kind !== 'done') throw new Error('the load process sent no result');
    return answer;
  } finally {
    await running.stop();
  }
}

const ms = (value: number) => value.toFixed(1).padStart(9);
const mb = (bytes: number) => (bytes / 1e6).toFixed(0).padStart(9);

async function run(): Promise<void> {
  const latency: string[] = [];
  const memory: string[] = [];
  for (const start of [startBare, startGateway]) {
    const contender = await start();
    const name = contender.name.padEnd(16);
    try {
      const { latencies, missed } = await load(contender, { subscribers, deliveries, everyMs });
      const part = (share: number) => ms(percentile(latencies, share));
      latency.push(`${name}${part(0.5)}${part(0.99)}${part(1)}${String(missed).padStart(9)}`);
    } finally {
      await contender.stop();
    }
    if (idle === 0) continue;
    const fresh = await start();
    try {
      const before = fresh.memory();
      await load(fresh, { subscribers: idle, deliveries: 0, everyMs }, async () => {
        await new Promise((resolve) => setTimeout(resolve, settleMs));
        const after = fresh.memory();
        const each = ((after - before) / idle / 1000).toFixed(1).padStart(9);
        memory.push(`${name}${mb(before)}${mb(after)}${each}`);
      });
    } finally {
      await fresh.stop();
    }
  }
  process.stdout.write(
    [
      `from delivery to subscriber, ms, ${subscribers} subscribers, ${deliveries} deliveries every ${everyMs} ms`,
      `                      p50      p99      max   missed`,
      ...latency,
      '',
      ...(idle > 0 ? [`memory, MB, with ${idle} idle subscribers`] : []),
      ...(idle > 0 ? ['                   before     with  KB each', ...memory, ''] : []),
    ].join('\n'),
  );
}

if (values.help) process.stdout.write(help);
else if (
  ![subscribers, deliveries, everyMs].every((count) => Number.isSafeInteger(count) && count > 0) ||
  !(Number.isSafeInteger(idle) && idle >= 0)
) {
  process.stderr.write(
    '--subscribers, --deliveries and --every are whole numbers of 1 or more, --idle of 0.\n',
  );
  process.exitCode = 1;
} else await run();
