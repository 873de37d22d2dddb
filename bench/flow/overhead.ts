import type { Note, Seen } from './notes.ts';

/** The parts of an issuance's time, in milliseconds. */
export interface Spent {
  /** From the mutation to COMPLETED, as the client saw it. */
  total: number;
  /** `total` without the time in which the gateway waited for an upstream. */
  overhead: number;
  /** The overhead until the issuance is stored, until a worker claims it, until the first call, … */
  storing: number;
  queued: number;
  starting: number;
  /** … between the calls and after them, and after the last outcome. */
  between: number;
  after: number;
  calls: string[];
}

interface Interval {
  from: bigint;
  to: bigint;
}

/** Splits each issuance's time; the notes are those of its gateway. */
export function timeSpent(seen: Seen[], notes: Note[]): Spent[] {
  const byIssuance = Map.groupBy(
    notes.filter((note) => note.kind !== 'process'),
    ({ issuance }) => issuance,
  );
  return seen.map((one) => spentOn(one, byIssuance.get(one.issuance) ?? []));
}

function spentOn({ sentAt, completedAt }: Seen, notes: Exclude<Note, { kind: 'process' }>[]): Spent {
  const within = (at: bigint) => at >= sentAt && at <= completedAt;
  const calls = notes
    .flatMap((note) =>
      note.kind === 'call' ? [{ path: note.path, from: BigInt(note.from), to: BigInt(note.to) }] : [],
    )
    .filter(({ from }) => within(from));
  const times = (kind: 'stored' | 'leased' | 'outcome') =>
    notes.flatMap((note) => (note.kind === kind ? [BigInt(note.at)] : [])).filter(within);
  const [storedAt] = times('stored');
  const [leasedAt] = times('leased');
  const answeredAt = calls.findLast(({ path }) => path.endsWith('/srrs'))?.to;
  const lastOutcome = times('outcome')
    .toSorted((a, b) => Number(a - b))
    .at(-1);
  if (!storedAt || !leasedAt || !answeredAt || !lastOutcome)
    throw new Error(
      'the notes tell of an issuance that completed without having been stored, sent or settled',
    );
  // After the response only the outcome is missing, which comes from the upstream.
  const mining = lastOutcome > answeredAt ? [{ from: answeredAt, to: lastOutcome }] : [];
  const waits = merged([...calls, ...mining]);
  const waited = waits.reduce((sum, { from, to }) => sum + (to - from), 0n);
  const total = completedAt - sentAt;
  const before = (waits[0]?.from ?? completedAt) - sentAt;
  const after = completedAt - (waits.at(-1)?.to ?? completedAt);
  return {
    total: ms(total),
    overhead: ms(total - waited),
    storing: ms(storedAt - sentAt),
    queued: ms(leasedAt - storedAt),
    starting: ms(before - (leasedAt - sentAt)),
    between: ms(total - waited - before - after),
    after: ms(after),
    calls: calls.map(({ path }) => path.split('/').at(-1) ?? path),
  };
}

/** Intervals without overlap, in order. */
function merged(intervals: Interval[]): Interval[] {
  const apart: Interval[] = [];
  for (const { from, to } of intervals.toSorted((a, b) => Number(a.from - b.from))) {
    const last = apart.at(-1);
    if (last && from <= last.to) last.to = to > last.to ? to : last.to;
    else apart.push({ from, to });
  }
  return apart;
}

const ms = (nanoseconds: bigint) => Number(nanoseconds) / 1e6;

/** The value that the given share of the values does not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
