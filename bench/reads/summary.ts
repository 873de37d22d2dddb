import type { Measured, Round } from './measure.ts';
import type { Overhead } from './overhead.ts';
import type { Counts } from './sources.ts';

/** A figure's median and range over the rounds. */
export interface Spread {
  least: number;
  median: number;
  most: number;
}

/** The results of one contender for one query. */
export interface Figures {
  contender: string;
  /**
   * Relative to the first contender in the same round; higher is better. Null if the system does not report
   * it.
   */
  ratio: { processor: Spread | null; throughput: Spread };
  perSecond: Spread;
  processorMs: Spread | null;
  latencyMs: { p50: number; p99: number };
  /** Requests to the sources for one request. */
  asked: Counts;
  /** Requests to the sources for the first request of its kind. */
  first: Counts;
  rssBytes: number | null;
}

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted.at(index) ?? Number.NaN;
  return { least: at(0), median: at(Math.floor(sorted.length / 2)), most: at(-1) };
}

const percentile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;

/**
 * The results of all contenders for one query; the first is the baseline that the others are compared with.
 */
export function summarise(measured: Measured[]): Figures[] {
  const [limit] = measured as [Measured];
  return measured.map((one): Figures => {
    const latencies = one.rounds.flatMap((round) => round.latencies).toSorted((a, b) => a - b);
    const processor = one.rounds.flatMap(({ cpuMs }) => cpuMs ?? []);
    const tells = processor.length > 0;
    const asked = (of: keyof Counts) => spread(one.rounds.map((round) => round.asked[of])).median;
    return {
      contender: one.contender.name,
      ratio: {
        processor: tells ? spread(pairs(one, limit, (round, other) => cost(other) / cost(round))) : null,
        throughput: spread(pairs(one, limit, (round, other) => round.perSecond / other.perSecond)),
      },
      perSecond: spread(one.rounds.map(({ perSecond }) => perSecond)),
      processorMs: tells ? spread(processor) : null,
      latencyMs: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
      asked: {
        subgraph: asked('subgraph'),
        watch: asked('watch'),
        ipfs: asked('ipfs'),
        subgraphAsked: asked('subgraphAsked'),
        subgraphAnswered: asked('subgraphAnswered'),
      },
      first: one.first,
      rssBytes: one.rss ?? null,
    };
  });
}

/** How much more a guarded gateway costs than a bare one. */
export interface OverheadFigures {
  /** The median of all rounds, and the least and the greatest of the single starts. */
  more: Spread;
  guardedMs: number;
  bareMs: number;
  rounds: number;
  starts: number;
}

/** As a share of the bare gateway's cost, or in milliseconds when the query itself costs nearly nothing. */
export function summariseOverhead(starts: Overhead[], as: 'share' | 'milliseconds'): OverheadFigures {
  const ofStarts = starts.map(({ bare, guarded }) =>
    pairs(guarded, bare, (round, other) =>
      as === 'share' ? cost(round) / cost(other) - 1 : cost(round) - cost(other),
    ),
  );
  const { least, most } = spread(ofStarts.map((rounds) => spread(rounds).median));
  const rounds = ofStarts.flat();
  const ms = (one: keyof Overhead) => spread(starts.flatMap((start) => start[one].rounds.map(cost))).median;
  return {
    more: { least, median: spread(rounds).median, most },
    guardedMs: ms('guarded'),
    bareMs: ms('bare'),
    rounds: rounds.length,
    starts: starts.length,
  };
}

const pairs = (one: Measured, limit: Measured, of: (round: Round, other: Round) => number) =>
  one.rounds.map((round, i) => of(round, limit.rounds[i] as Round));

/** Milliseconds of processor time for a request. */
const cost = ({ cpuMs, perSecond }: Round) => cpuMs ?? 1000 / perSecond;
