import type { Figures, OverheadFigures, Spread } from './summary.ts';

const figure = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2));
const range = (values: Spread | null) =>
  values ? `${figure(values.median)} (${figure(values.least)}–${figure(values.most)})` : '-';

const columns = [
  '',
  'ratio: requests/s',
  'ratio: processor',
  'requests/s',
  'processor ms',
  'p50 ms',
  'p99 ms',
  'subgraph',
  'KB asked+answered',
  'IPFS',
  'first',
  'RSS MB',
];

/** One line for each contender; the ratio of the first is 1. */
export function table(figures: Figures[]): string {
  const lines = figures.map(
    ({ contender, ratio, perSecond, processorMs, latencyMs, asked, first, rssBytes }) => [
      contender,
      range(ratio.throughput),
      range(ratio.processor),
      range(perSecond),
      processorMs ? figure(processorMs.median) : '-',
      latencyMs.p50.toFixed(1),
      latencyMs.p99.toFixed(1),
      asked.subgraph.toFixed(2),
      `${(asked.subgraphAsked / 1000).toFixed(1)}+${(asked.subgraphAnswered / 1000).toFixed(1)}`,
      asked.ipfs.toFixed(2),
      `${first.subgraph}+${first.ipfs}`,
      rssBytes === null ? '-' : (rssBytes / 2 ** 20).toFixed(0),
    ],
  );
  return aligned([columns, ...lines]);
}

/** The cost of pages of different sizes: with linear growth the cost of a record is the same. */
export function growthTable(bySize: { size: number; figures: Figures[] }[]): string {
  const names = bySize.at(-1)?.figures.map(({ contender }) => contender) ?? [];
  const perRecord = (name: string, { size, figures }: (typeof bySize)[number]) => {
    const one = figures.find(({ contender }) => contender === name);
    const ms = one ? (one.processorMs?.median ?? 1000 / one.perSecond.median) : Number.NaN;
    return `${figure(ms)} ms, ${((ms * 1000) / size).toFixed(0)} µs a record`;
  };
  return aligned([
    ['', ...bySize.map(({ size }) => `${size} records`)],
    ...names.map((name) => [name, ...bySize.map((one) => perRecord(name, one))]),
  ]);
}

/**
 * How much more one contender costs than another: the median of all rounds, and the range of single starts.
 */
export function overheadLine(title: string, overhead: OverheadFigures, unit: '%' | 'µs'): string {
  const { more, guardedMs, bareMs, rounds, starts } = overhead;
  const shown = (value: number) =>
    unit === '%' ? `${(value * 100).toFixed(1)} %` : `${(value * 1000).toFixed(0)} µs`;
  return (
    `${title}: ${shown(more.median)} (single starts ${shown(more.least)} to ${shown(more.most)}), ` +
    `${figure(guardedMs)} ms beside ${figure(bareMs)} ms, in ${rounds} rounds of ${starts} starts`
  );
}

function aligned(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    )
    .join('\n');
}
