import { isDeepStrictEqual } from 'node:util';
import type { Contender } from './contenders.ts';
import type { Query } from './queries.ts';
import type { Server } from './servers.ts';
import type { Counts } from './sources.ts';

/** The measurements of one round of one contender. */
export interface Round {
  perSecond: number;
  latencies: number[];
  /** Processor time of its process for each request; undefined if the system does not report it. */
  cpuMs: number | undefined;
  /** For each request. */
  asked: Counts;
}

export interface Measured {
  contender: Contender;
  /** The requests to the sources for its first request, with cold caches. */
  first: Counts;
  rounds: Round[];
  rss: number | undefined;
}

export interface Timing {
  rounds: number;
  roundMs: number;
  /** Seconds of the warm-up turn. Absent: as long as a round. */
  warmUpMs?: number;
}

/** The requests to the sources since the last call. */
export async function counted({ url }: Server): Promise<Counts> {
  return (await fetch(`${url}/counts`)).json() as Promise<Counts>;
}

async function moving({ url }: Server, moves: boolean): Promise<void> {
  await fetch(`${url}/moving`, { method: 'POST', body: String(moves) });
}

/** Sends each contender the same query once. @throws when two responses differ. */
export async function sameAnswers(contenders: Contender[], query: Query, sources: Server): Promise<Counts[]> {
  const [limit] = contenders;
  let expected: unknown;
  const counts: Counts[] = [];
  for (const contender of contenders) {
    await counted(sources);
    const answer = contender.read(query, await contender.load.ask(contender.ask(query, 0)));
    counts.push(await counted(sources));
    expected ??= answer;
    if (!isDeepStrictEqual(answer, expected))
      throw new Error(
        `${contender.name} and ${limit?.name} answer differently to ${query.text}\n` +
          `${JSON.stringify(answer).slice(0, 2_000)}\n${JSON.stringify(expected).slice(0, 2_000)}`,
      );
  }
  return counts;
}

/** Runs the rounds in turns, A B C A B C, so that other work of the machine affects all contenders alike. */
export async function measure(
  contenders: Contender[],
  query: Query,
  sources: Server,
  { rounds, roundMs, warmUpMs = roundMs }: Timing,
): Promise<Measured[]> {
  const firsts = await sameAnswers(contenders, query, sources);
  const measured = contenders.map(
    (contender, i): Measured => ({ contender, first: firsts[i] as Counts, rounds: [], rss: undefined }),
  );
  // The first turn warms up hot code, and is not counted.
  for (let turn = 0; turn <= rounds; turn++)
    for (const one of measured) {
      const round = await runRound(one.contender, query, sources, turn > 0 ? roundMs : warmUpMs);
      if (turn > 0) one.rounds.push(round);
      one.rss = one.contender.server.usage()?.rss;
    }
  return measured;
}

async function runRound(
  { load, server, cold, ask }: Contender,
  query: Query,
  sources: Server,
  ms: number,
): Promise<Round> {
  await moving(sources, cold);
  // While the block stands, the response is cached before the timing starts.
  if (!cold) await load.ask(ask(query, 0));
  await counted(sources);
  const before = server.usage();
  const { perSecond, latencies } = await load.run((n) => ask(query, cold ? n : 0), ms);
  const after = server.usage();
  const counts = await counted(sources);
  const requests = latencies.length;
  return {
    perSecond,
    latencies,
    cpuMs: before && after && ((after.cpuSeconds - before.cpuSeconds) * 1000) / requests,
    asked: {
      subgraph: counts.subgraph / requests,
      watch: counts.watch / requests,
      ipfs: counts.ipfs / requests,
      subgraphAsked: counts.subgraphAsked / requests,
      subgraphAnswered: counts.subgraphAnswered / requests,
    },
  };
}
