import { availableParallelism } from 'node:os';
import type { Note, ProcessNote, Seen } from './notes.ts';
import { percentile, type Spent, timeSpent } from './overhead.ts';

/** The usage of the gateway is read after each of this many equal parts of the run. */
export const quarters = 4;

export interface Run {
  seen: Seen[];
  notes: Note[];
  /** At the start, and after each quarter. */
  usage: ProcessNote[];
  seconds: number;
}

/** The figures of a run as text. */
export function report(
  { seen, notes, usage, seconds }: Run,
  { records, clients }: { records: number; clients: number },
): string {
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
