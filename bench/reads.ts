import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { readOptions } from './options.ts';
import { defaultConnections, startContenders } from './reads/contenders.ts';
import { installPeers } from './reads/install.ts';
import { measure, type Timing } from './reads/measure.ts';
import { measureOverhead } from './reads/overhead.ts';
import { picture, type Result } from './reads/picture.ts';
import { measuredQueries, queries } from './reads/queries.ts';
import { growthTable, overheadLine, table } from './reads/report.ts';
import { pinLoad, pinned, type Server, startSources } from './reads/servers.ts';
import { type OverheadFigures, summarise, summariseOverhead } from './reads/summary.ts';

/** Pads a name to the width of the longest one. */
const listed = Object.entries(measuredQueries).map(([name, { title }]) => `  ${name.padEnd(10)}${title}`);

const help = `Usage: npm run bench -- [options]

Compares joined reads: this gateway, a handler for the same queries written by hand on node:http (the baseline),
Mercurius with JIT, and Hive Gateway composing the same sources. All run at the same time, but one at a time is
under load, on its own processor; the load and the sources have the other one. All must return the same data.

  --queries LIST  names of queries, separated by commas; leaves out the cost of limits and auth (all)
  --json FILE     writes the figures to this file, as JSON
  --svg FILE      writes the ratios to this file, as a picture
  --rounds N      rounds of each contender, in turns (5)
  --seconds N     length of a round (1)
  --connections N concurrent callers (8)
  --warm-up N     seconds that each contender runs before the rounds, until hot code is compiled (10)
  --quick         2 rounds of 0.3 seconds, to check that the bench works
  --no-peers      leaves out Mercurius and Hive Gateway
  --starts N      starts of the gateway for the comparison with itself (8)
  --overhead      measures only the cost of limits and auth
  --help          this text

Queries:
${listed.join('\n')}

ratio       a contender's figure divided by that of the handler written by hand in the same round; median of the
            rounds (least–most). The ratio of processor time also holds on a machine with other work.
processor   processor time of the contender's process for one request.
subgraph    requests to the subgraph for one query, in the median round, without polls of the newest block.
KB          size of these requests and their responses, in thousands of bytes.
IPFS        requests to the IPFS gateway for one query, in the median round.
first       requests to the subgraph + to IPFS of the first query of its kind.
RSS         resident memory of the process after the last round. Most of the gateway's is its embedded database,
            which it has from its start.

The gateway has all its limits on, and counts every request. "With a token" is the same process, called by an issuer.

Limits and auth: this gateway with all of them, called with a token, compared with itself without them, called
anonymously. No configuration removes them, so the second one is started with stubs in their place. Both are started
several times, because single starts of one program differ, and run in short turns.

"Block moves": every response of the subgraph is from a newer block, and every query is new, so that no response
can come from a response cache. "Block stands": the same query again at the same block.
`;

const values = readOptions('npm run bench', {
  queries: { type: 'string' },
  json: { type: 'string' },
  svg: { type: 'string' },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '1' },
  connections: { type: 'string', default: String(defaultConnections) },
  'warm-up': { type: 'string', default: '10' },
  starts: { type: 'string', default: '8' },
  quick: { type: 'boolean', default: false },
  peers: { type: 'boolean', default: true },
  overhead: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
});
const timing: Timing = values.quick
  ? { rounds: 2, roundMs: 300 }
  : {
      rounds: Number(values.rounds),
      roundMs: Number(values.seconds) * 1000,
      warmUpMs: Number(values['warm-up']) * 1000,
    };

const starts = Number(values.starts);
const connections = Number(values.connections);

const isCount = (value: number) => value >= 1 && Number.isInteger(value);

const chosen = values.queries?.split(',').map((name) => name.trim()) ?? Object.keys(measuredQueries);
const unknown = chosen.filter((name) => !Object.hasOwn(measuredQueries, name));

const print = (text: string) => process.stdout.write(`${text}\n`);
/** The properties of the machine that readers of the figures need. */
const machine = () => ({
  node: process.version,
  processors: cpus().length,
  pinned,
  load: loadavg().map((load) => Number(load.toFixed(2))),
});

async function run(): Promise<void> {
  pinLoad();
  const sources = await startSources();
  const before = machine();
  print(
    `${before.processors} processors, ${pinned ? 'each side on its own' : 'not pinned (no taskset)'}; ` +
      `${connections} callers, ${timing.rounds} rounds of ${timing.roundMs / 1000} s\n`,
  );
  try {
    const results = values.overhead ? {} : await compare(sources);
    const overhead =
      values.overhead || values.queries === undefined ? await printOverhead(sources) : undefined;
    const report = {
      at: new Date().toISOString(),
      before,
      after: machine(),
      timing,
      connections,
      results,
      overhead,
    };
    if (values.json) await writeFile(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
    if (values.svg) await writeFile(values.svg, picture(Object.values(results), measuredOn()));
  } finally {
    await sources.stop();
  }
}

const measuredOn = () =>
  `Node ${process.version}, ${timing.rounds} rounds of ${timing.roundMs / 1000} s, ${new Date().toISOString().slice(0, 10)}.`;

async function compare(sources: Server): Promise<Record<string, Result>> {
  const fault = values.peers ? installPeers() : undefined;
  const contenders = await startContenders(sources, { peers: values.peers && !fault, connections });
  const results: Record<string, Result> = {};
  try {
    const { all, missing } = contenders;
    for (const name of chosen) {
      const { title, query } = measuredQueries[name] as (typeof measuredQueries)[string];
      // A query that reads no source is the same whether the block moves or stands. Hive Gateway takes
      // seconds for a large page.
      const those = all.filter(
        (one) => !(name === 'typename' && !one.cold) && !(name === 'large' && one.name === 'Hive Gateway'),
      );
      const figures = summarise(await measure(those, query, sources, timing));
      results[name] = { title, figures };
      print(`${title} (${name})\n${table(figures)}`);
      if (fault) print(`Mercurius, Hive Gateway: not measured, ${fault}`);
      for (const { name, why } of missing) print(`${name}: not measured, ${why}`);
      print('');
    }
  } finally {
    await contenders.stop();
  }
  const { join, large } = results;
  if (join && large) {
    const bySize = [
      { size: 50, figures: join.figures },
      { size: 999, figures: large.figures },
    ];
    print(`growth of the page, in processor time for a request\n${growthTable(bySize)}\n`);
  }
  return results;
}

async function printOverhead(sources: Server): Promise<Record<string, OverheadFigures>> {
  const asked = { query: queries.join(50), smallest: queries.typename };
  const { moves, stands, smallest } = await measureOverhead(sources, asked, timing, starts);
  const figures = {
    moves: summariseOverhead(moves, 'share'),
    stands: summariseOverhead(stands, 'share'),
    smallest: summariseOverhead(smallest, 'milliseconds'),
  };
  print('what limits and auth add to a page of 50 records, in processor time for a request');
  print(overheadLine('new query', figures.moves, '%'));
  print(overheadLine('asked before', figures.stands, '%'));
  print(overheadLine('{ __typename }', figures.smallest, 'µs'));
  return figures;
}

// The started programs are ended at exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const refuse = (why: string) => {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
};

if (values.help) process.stdout.write(help);
else if (
  !(
    isCount(timing.rounds) &&
    isCount(starts) &&
    isCount(connections) &&
    timing.roundMs > 0 &&
    (timing.warmUpMs ?? 0) >= 0
  )
)
  refuse(
    '--rounds, --starts and --connections are whole numbers of 1 or more, --seconds a number over 0, --warm-up one of 0 or more.',
  );
else if (unknown.length > 0)
  refuse(
    `--queries knows ${Object.keys(measuredQueries).join(', ')}, and not ${unknown.map((name) => `'${name}'`).join(', ')}.`,
  );
else await run();
