import { throughput } from './climb.ts';
import type { Figures } from './measure.ts';

type Cells = (string | number | undefined)[];

/** The figures as text tables with a column for each number of replicas. */
export function report(all: Figures[]): string {
  const row = (name: string, of: (one: Figures) => string | number | undefined): Cells => [
    name,
    ...all.map((one) => of(one)),
  ];
  const growth = (of: (one: Figures) => number | undefined) => (one: Figures) => {
    const before = all[all.indexOf(one) - 1];
    return before && `${((of(one) ?? 0) / (of(before) ?? 0)).toFixed(2)}×`;
  };
  const reads = (one: Figures) => throughput(one.reads);
  const deliveries = (one: Figures) => throughput(one.deliveries);
  const costs = (what: string, of: (one: Figures) => Record<string, number> | undefined) =>
    Object.keys(of(all[0] as Figures) ?? {}).map((part) =>
      row(`  ${what}, ${part}`, (one) => of(one)?.[part]),
    );
  return table([
    row('replicas', ({ replicas }) => replicas),
    row('at rest: MB of all replicas', ({ idle }) => idle.residentMB),
    row('at rest: connections to PostgreSQL', ({ idle }) => idle.connections),
    row('reads a second', (one) => reads(one)?.perSecond),
    row(
      '  times the column before',
      growth((one) => reads(one)?.perSecond),
    ),
    row('  p50, p99 ms', (one) => `${reads(one)?.p50}, ${reads(one)?.p99}`),
    ...costs('ms each', (one) => reads(one)?.cost),
    row('deliveries a second', (one) => deliveries(one)?.perSecond),
    row(
      '  times the column before',
      growth((one) => deliveries(one)?.perSecond),
    ),
    row('  p50, p99 ms', (one) => `${deliveries(one)?.p50}, ${deliveries(one)?.p99}`),
    ...costs('ms each', (one) => deliveries(one)?.cost),
    row('subscribers', ({ subscribers }) => subscribers.count),
    row('  kB each', ({ subscribers }) => subscribers.kilobytes),
    ...costs('ms to open one', ({ subscribers }) => subscribers.openMs),
    ...costs('ms a quiet minute', ({ subscribers }) => subscribers.quietMsAMinute),
    ...costs('ms an event and subscriber', ({ subscribers }) => subscribers.eventMs),
    row('  p99 ms from delivery to all', ({ subscribers }) => subscribers.p99),
    row('  p99 ms of 200 reads a second beside', ({ subscribers }) => subscribers.readsP99),
    row('  events missed', ({ subscribers }) => subscribers.missed),
    row('issuances of 3 records a second', ({ issuing }) => issuing.perSecond),
    ...costs('ms each', ({ issuing }) => issuing.cost),
  ]);
}

const table = (rows: Cells[]) =>
  `${rows
    .map(
      ([name, ...cells]) =>
        `${String(name).padEnd(38)}${cells.map((cell) => String(cell ?? '').padStart(16)).join('')}`,
    )
    .join('\n')}\n`;
