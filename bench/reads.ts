import { cpus } from 'node:os';
import { readOptions } from './options.ts';
import { startContenders } from './reads/contenders.ts';
import { installPeers } from './reads/install.ts';
import { type Measured, measure } from './reads/measure.ts';
import { measureOverhead } from './reads/overhead.ts';
import { queries } from './reads/queries.ts';
import { differenceLine, growthTable, overheadLine, table } from './reads/report.ts';
import { pinLoad, pinned, type Server, startSources } from './reads/servers.ts';

const help = `Usage: npm run bench -- [options]

Compares joined reads: this gateway, a handler for the same queries written by hand on node:http (the limit),
Mercurius with JIT, and Hive Gateway composing the same sources. They run side by side, one under load at a
time on a processor of its own; the load and the sources have the other one. All must give the same data.

  --rounds N      rounds of each contender, in turns (5)
  --seconds N     length of a round (1)
  --quick         2 rounds of 0.3 seconds, to see that it runs
  --no-peers      without Mercurius and Hive Gateway
  --starts N      of the gateway, to compare it with itself (8)
  --overhead      nothing but what limits and auth add
  --help          this text

ratio       a contender's figure over that of the handler written by hand in the same round; the median of
            the rounds (least–most). By processor time it stays true on a machine that does other things too.
processor   of the contender's process, for one request.
subgraph    requests to the source for one query, in the median round; a watch of the head is not counted.
IPFS        the same.
first       requests to the subgraph + to IPFS of the first query of its kind.
RSS         resident memory of the process after the last round; the gateway's is for the most part that of
            its embedded database, which it has from its start on.

Limits and auth: this gateway with all of them, asked with a token and every request counted, beside itself without,
asked by nobody in particular. No configuration takes them out, so the second one is started with nothing in their
places. Both start several times, since single starts of one program differ, and take short turns. Neither answers
from its memory of whole answers, which is for anonymous readers without cookies only.

"Block moves": every answer of the subgraph is of a newer block, and every query is one that was never asked
before, so that no answer can come from a cache of answers. "Block stands": the same query again.
`;

const values = readOptions('npm run bench', {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '1' },
  starts: { type: 'string', default: '8' },
  quick: { type: 'boolean', default: false },
  peers: { type: 'boolean', default: true },
  overhead: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
});
const timing = values.quick
  ? { rounds: 2, roundMs: 300 }
  : { rounds: Number(values.rounds), roundMs: Number(values.seconds) * 1000 };

const starts = Number(values.starts);

const isCount = (value: number) => value >= 1 && Number.isInteger(value);

/** The largest page that the gateway gives is 999. */
const sizes = [10, 100, 999];

const print = (text: string) => process.stdout.write(`${text}\n`);

async function run(): Promise<void> {
  pinLoad();
  const sources = await startSources();
  print(
    `${cpus().length} processors, ${pinned ? 'each side on its own' : 'not pinned (no taskset)'}; ` +
      `${timing.rounds} rounds of ${timing.roundMs / 1000} s\n`,
  );
  try {
    if (!values.overhead) await compare(sources);
    await printOverhead(sources);
  } finally {
    await sources.stop();
  }
}

async function compare(sources: Server): Promise<void> {
  const fault = values.peers ? installPeers() : undefined;
  const contenders = await startContenders(sources, { peers: values.peers && !fault });
  try {
    const { all, missing } = contenders;
    for (const [title, query] of [
      [
        'a page of 50 records, 22 fields each, with issuer, artist, collection and metadata',
        queries.join(50),
      ],
      ['a page of 50 records with up to 5 transfers each', queries.nested],
      ['one record', queries.single],
      ['{ __typename }', queries.typename],
    ] as const) {
      // It reads no source, so it does not matter whether the block moves.
      const those = query === queries.typename ? all.filter(({ cold }) => cold) : all;
      print(`${title}\n${table(await measure(those, query, sources, timing))}`);
      if (fault) print(`Mercurius, Hive Gateway: not measured, ${fault}`);
      for (const { name, why } of missing) print(`${name}: not measured, ${why}`);
      print('');
    }
    const bySize: Measured[][] = [];
    // A page of a thousand takes Hive Gateway so long that nothing could be told of its growth.
    const growing = all.filter(({ name }) => name !== 'Hive Gateway');
    for (const size of sizes) bySize.push(await measure(growing, queries.join(size), sources, timing));
    print(`growth of the page, in processor time for a request\n${growthTable(sizes, bySize)}\n`);
  } finally {
    await contenders.stop();
  }
}

async function printOverhead(sources: Server): Promise<void> {
  const asked = { query: queries.join(50), smallest: queries.typename };
  const { moves, stands, smallest } = await measureOverhead(sources, asked, timing, starts);
  print('what limits and auth add to a page of 50 records, in processor time for a request');
  print(overheadLine('block moves', moves));
  print(overheadLine('block stands', stands));
  print(differenceLine('{ __typename }', smallest));
}

// The programs that were started are ended at the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (values.help) process.stdout.write(help);
else if (!(isCount(timing.rounds) && isCount(starts) && timing.roundMs > 0)) {
  process.stderr.write('--rounds and --starts are whole numbers of 1 or more, --seconds a number over 0.\n');
  process.exitCode = 1;
} else await run();
