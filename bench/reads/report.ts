import type { Measured, Round } from './measure.ts';
import type { Overhead } from './overhead.ts';

/** Least, median and most of a value over the rounds. */
function spread(values: number[]): [number, number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(Number) as [
    number,
    number,
    number,
  ];
}

export const median = (values: number[]): number => spread(values)[1];

const figure = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2));
const range = (values: number[]) => {
  const [least, mid, most] = spread(values);
  return `${figure(mid)} (${figure(least)}–${figure(most)})`;
};

/** A contender's figure over the limit's of the same round. */
const ratios = (one: Measured, limit: Measured, of: (round: Round) => number) =>
  one.rounds.map((round, i) => of(round) / of(limit.rounds[i] as Round));

const differences = (one: Measured, limit: Measured, of: (round: Round) => number) =>
  one.rounds.map((round, i) => of(round) - of(limit.rounds[i] as Round));

/** In milliseconds of the processor for a request. */
const cost = ({ cpuMs, perSecond }: Round) => cpuMs ?? 1000 / perSecond;

const percentile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;

const columns = [
  '',
  'ratio: requests/s',
  'ratio: processor',
  'requests/s',
  'processor ms',
  'p50 ms',
  'p99 ms',
  'subgraph',
  'IPFS',
  'first',
  'RSS MB',
];

/** One line for each contender; the first is 1. */
export function table(measured: Measured[]): string {
  const [limit] = measured;
  if (!limit) return '';
  const lines = measured.map((one) => {
    const latencies = one.rounds.flatMap((round) => round.latencies).toSorted((a, b) => a - b);
    const cpu = one.rounds.flatMap(({ cpuMs }) => (cpuMs === undefined ? [] : [cpuMs]));
    return [
      one.contender.name,
      range(ratios(one, limit, ({ perSecond }) => perSecond)),
      cpu.length > 0 ? range(ratios(one, limit, ({ cpuMs }) => 1 / (cpuMs ?? 1))) : '-',
      range(one.rounds.map(({ perSecond }) => perSecond)),
      cpu.length > 0 ? figure(median(cpu)) : '-',
      percentile(latencies, 0.5).toFixed(1),
      percentile(latencies, 0.99).toFixed(1),
      median(one.rounds.map(({ subgraph }) => subgraph)).toFixed(2),
      median(one.rounds.map(({ ipfs }) => ipfs)).toFixed(2),
      `${one.first.subgraph}+${one.first.ipfs}`,
      one.rss === undefined ? '-' : (one.rss / 2 ** 20).toFixed(0),
    ];
  });
  return aligned([columns, ...lines]);
}

/** What a page costs as it grows: linear growth has the same figure for each record. */
export function growthTable(sizes: number[], bySize: Measured[][]): string {
  const names = bySize[0]?.map(({ contender }) => contender.name) ?? [];
  const perRecord = (one: Measured | undefined, size: number) => {
    const costs = one?.rounds.map(cost) ?? [];
    return `${figure(median(costs))} ms, ${((median(costs) * 1000) / size).toFixed(0)} µs a record`;
  };
  return aligned([
    ['', ...sizes.map((size) => `${size} records`)],
    ...names.map((name, i) => [name, ...sizes.map((size, k) => perRecord(bySize[k]?.[i], size))]),
  ]);
}

/** How much more one contender costs than another: the median of all rounds, and how far single starts are from it. */
export function overheadLine(title: string, starts: Overhead[]): string {
  return compared(title, starts, ratios, (ratio) => `${((ratio - 1) * 100).toFixed(1)} %`);
}

/** The same as a difference, where the question itself costs nearly nothing. */
export function differenceLine(title: string, starts: Overhead[]): string {
  return compared(title, starts, differences, (ms) => `${(ms * 1000).toFixed(0)} µs`);
}

function compared(
  title: string,
  starts: Overhead[],
  by: (one: Measured, limit: Measured, of: (round: Round) => number) => number[],
  shown: (value: number) => string,
): string {
  const ofStarts = starts.map(({ bare, guarded }) => by(guarded, bare, cost));
  const [least, , most] = spread(ofStarts.map(median)).map(shown);
  const ms = (one: keyof Overhead) =>
    `${figure(median(starts.flatMap((start) => start[one].rounds.map(cost))))} ms`;
  const rounds = ofStarts.flat();
  return (
    `${title}: ${shown(median(rounds))} (single starts ${least} to ${most}), ` +
    `${ms('guarded')} beside ${ms('bare')}, in ${rounds.length} rounds of ${starts.length} starts`
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
