import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from './options.ts';
import { anonymousCaller, guardedEnv } from './reads/callers.ts';
import { startContender } from './reads/contenders.ts';
import { measuredQueries } from './reads/queries.ts';
import { pinLoad, type Server, startGateway, startSources } from './reads/servers.ts';

const help = `Usage: DATABASE_URL=postgres://… npm run bench:memory -- [options]

Resident memory of the gateway with PostgreSQL: at rest, and while reads that nobody asked before fill its
caches, at blocks that move with every answer and at one that stands. The database should be empty.

  --minutes N     of reads (10)
  --rest N        seconds of rest before the first figure and the last (30)
  --json FILE     writes the figures to it, as JSON
  --help          this text
`;

const values = readOptions('npm run bench:memory', {
  minutes: { type: 'string', default: '10' },
  rest: { type: 'string', default: '30' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
});
const [minutes, rest] = [Number(values.minutes), Number(values.rest)];
const { DATABASE_URL = '' } = process.env;

/** Of one query, before the next has its turn. */
const turnMs = 5_000;

async function run(): Promise<void> {
  pinLoad();
  await using running = new AsyncDisposableStack();
  const sources = await startSources();
  running.defer(() => sources.stop());
  const secrets = { DATABASE_URL, SECRETS_KEY: randomBytes(32).toString('base64') };
  const starting = startGateway(sources, { env: { ...guardedEnv, ...secrets } });
  const { server, load, ask } = await startContender(running, starting, anonymousCaller);
  const figures: { when: string; rssMB: number }[] = [];
  const note = (when: string) => {
    const rssMB = Math.round((server.usage()?.rss ?? Number.NaN) / 2 ** 20);
    figures.push({ when, rssMB });
    process.stdout.write(`${when.padEnd(28)}${String(rssMB).padStart(5)} MB\n`);
  };
  await sleep(rest * 1000);
  note('at rest');
  const all = Object.values(measuredQueries).map(({ query }) => query);
  const startedAt = Date.now();
  const since = () => (Date.now() - startedAt) / 60_000;
  for (let turn = 0, next = 1; since() < minutes; turn++) {
    const query = all[turn % all.length] as (typeof all)[number];
    await move(sources, Math.floor(turn / all.length) % 2 === 0);
    await load.run((n) => ask(query, n), turnMs);
    if (since() >= next) note(`after ${next++} minutes of reads`);
  }
  await sleep(rest * 1000);
  note('at rest again');
  if (values.json)
    await writeFile(values.json, `${JSON.stringify({ at: new Date(), figures }, undefined, 2)}\n`);
}

const move = ({ url }: Server, moves: boolean) =>
  fetch(`${url}/moving`, { method: 'POST', body: String(moves) });

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const fault = !(minutes > 0 && rest >= 0)
  ? '--minutes is a number over 0, --rest one of 0 or more.'
  : !/^postgres(ql)?:\/\//.test(DATABASE_URL)
    ? 'DATABASE_URL must be the postgres:// address of an empty database.'
    : undefined;

if (values.help) process.stdout.write(help);
else if (fault) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else await run();
