import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { project } from '../test/_util/gateway-process.ts';
import { load as soakLoad, startSoak } from './memory/soak.ts';
import { readOptions } from './options.ts';
import { anonymousCaller, guardedEnv } from './reads/callers.ts';
import { startContender } from './reads/contenders.ts';
import { measuredQueries } from './reads/queries.ts';
import { pinLoad, type Server, startGateway, startSources } from './reads/servers.ts';
import { usageOf } from './usage.ts';

const help = `Usage: DATABASE_URL=postgres://… npm run bench:memory -- [options]

Measures the resident memory of the gateway with PostgreSQL and the settings of the image: at rest, and while new
reads fill its caches, at a new block for every response and at one fixed block. The database should be empty.

  --soak          instead a scaled-down day: ${soakLoad.readsPerSecond} reads and ${soakLoad.issuancesPerSecond} issuances a second, and ${soakLoad.subscribers} subscribers to all events, with
                  the sandbox as the service, so that the chain and the catalogue grow
  --minutes N     minutes of load (10)
  --rest N        seconds without load before the first figure, and before the last one after reads (30)
  --set NAME=…    sets a variable of the gateway instead of the image's; may be repeated; empty removes the variable
  --json FILE     writes the figures to this file, as JSON
  --help          this text
`;

const values = readOptions('npm run bench:memory', {
  soak: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '10' },
  rest: { type: 'string', default: '30' },
  set: { type: 'string', multiple: true, default: [] },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
});
const [minutes, rest] = [Number(values.minutes), Number(values.rest)];
const { DATABASE_URL = '' } = process.env;

/** Duration of one query's load before the next query has its turn. */
const turnMs = 5_000;

const figures: Record<string, unknown>[] = [];
function note(when: string, pid: number | undefined, more: Record<string, unknown> = {}): void {
  const { rss = Number.NaN, peakRss = Number.NaN, cpuSeconds } = usageOf(pid) ?? {};
  const [rssMB, peakMB] = [rss, peakRss].map((bytes) => Math.round(bytes / 2 ** 20));
  figures.push({ when, rssMB, peakMB, cpuSeconds, load: loadavg()[0], ...more });
  const rest = Object.entries({ peakMB, cpuSeconds, ...more }).map(([name, value]) => `  ${name} ${value}`);
  process.stdout.write(`${when.padEnd(28)}${String(rssMB).padStart(5)} MB${rest.join('')}\n`);
}

/** The memory settings of the Dockerfile, which those of `--set` override. */
function settings(): Record<string, string> {
  const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8');
  const image = dockerfile.matchAll(/\b(NODE_OPTIONS|MALLOC_\w+)=("[^"]*"|\S+)/g);
  return Object.fromEntries([
    ...[...image].map(([, name, value = '']) => [name, value.replaceAll('"', '')]),
    ...values.set.map((text) => text.split(/=(.*)/s)),
  ]);
}

async function fillCaches(): Promise<void> {
  pinLoad();
  await using running = new AsyncDisposableStack();
  const sources = await startSources();
  running.defer(() => sources.stop());
  const secrets = { DATABASE_URL, SECRETS_KEY: randomBytes(32).toString('base64') };
  const starting = startGateway(sources, { env: { ...guardedEnv, ...secrets, ...settings() } });
  const { server, load, ask } = await startContender(running, starting, { headers: anonymousCaller });
  await sleep(rest * 1000);
  note('at rest', server.pid);
  const all = Object.values(measuredQueries).map(({ query }) => query);
  const startedAt = Date.now();
  const since = () => (Date.now() - startedAt) / 60_000;
  for (let turn = 0, next = 1; since() < minutes; turn++) {
    const query = all[turn % all.length] as (typeof all)[number];
    await move(sources, Math.floor(turn / all.length) % 2 === 0);
    await load.run((n) => ask(query, n), turnMs);
    if (since() >= next) note(`after ${next++} minutes of reads`, server.pid);
  }
  await sleep(rest * 1000);
  note('at rest again', server.pid);
}

const move = ({ url }: Server, moves: boolean) =>
  fetch(`${url}/moving`, { method: 'POST', body: String(moves) });

const stopping = new AbortController();

async function soak(): Promise<void> {
  const { signal } = stopping;
  await using running = new AsyncDisposableStack();
  const { pid, done, begin, stop } = await startSoak(DATABASE_URL, settings());
  running.defer(stop);
  await sleep(rest * 1000, undefined, { signal });
  note('at rest', pid);
  await begin();
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(60_000, undefined, { signal });
    note(`after ${minute} minutes`, pid, { ...done });
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    // The soak's processes are in process groups of their own, and the soak stops them.
    if (values.soak) stopping.abort();
    else process.exit(1);
  });

const fault = !(minutes > 0 && rest >= 0)
  ? '--minutes is a number over 0, --rest one of 0 or more.'
  : values.set.some((text) => !/^\w+=/.test(text))
    ? '--set is NAME=value.'
    : !/^postgres(ql)?:\/\//.test(DATABASE_URL)
      ? 'DATABASE_URL must be the postgres:// address of an empty database.'
      : undefined;

if (values.help) process.stdout.write(help);
else if (fault) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else {
  await (values.soak ? soak() : fillCaches()).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
  if (values.json)
    await writeFile(
      values.json,
      `${JSON.stringify({ at: new Date(), settings: settings(), figures }, undefined, 2)}\n`,
    );
}
