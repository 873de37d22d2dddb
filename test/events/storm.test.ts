import { afterEach, describe, expect, it } from 'vitest';
import { type EventGateways, eventGateways } from '../_util/event-gateways.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { stormPlan } from '../_util/storm/plan.ts';
import { storm } from '../_util/storm/storm.ts';

// `npm run test:storm` sends a hundred thousand; STORM_SEED repeats a run.
const deliveries = Number(process.env.STORM_DELIVERIES ?? 2_000);
const kills = Number(process.env.STORM_KILLS ?? 2);
const seed = process.env.STORM_SEED ?? String(Date.now());
/** Allows for starts of some seconds, and for some hundred deliveries a second, on two busy cores. */
const limitMs = 60_000 + kills * 30_000 + deliveries * 20;

let gateways: EventGateways | undefined;
afterEach(() => gateways?.stop());

interface LoggedEvent {
  externalId?: string;
  raw?: unknown;
}

/** The id of an unrecognized delivery, anywhere in its body. */
const idIn = (raw: unknown) => /unfamiliar-\d+/.exec(JSON.stringify(raw))?.[0] ?? JSON.stringify(raw);

/** The ids of all events, in the order of the log. */
async function logged({ replicas, token }: EventGateways): Promise<string[]> {
  const caller = new GraphQLCaller(replicas[0]?.url as string, { authorization: `Bearer ${token}` });
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const { events } = await caller.data(
      `query ($after: String) { events(first: 999, after: $after) {
        edges { node { ... on SRRFailed { externalId } ... on UnrecognizedEvent { raw } } } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    found.push(...events.edges.map(({ node }: { node: LoggedEvent }) => node.externalId ?? idIn(node.raw)));
    if (!events.pageInfo.hasNextPage) return found;
    after = events.pageInfo.endCursor;
  }
}

describe('each delivery of a storm', () => {
  const suite = async (replicas: number) => {
    gateways = await eventGateways({ replicas });
    const plan = stormPlan(deliveries, seed);
    const startedAt = Date.now();
    const counts = await storm(gateways, plan, { kills, seed });
    const log = await logged(gateways);
    const kept = plan.flatMap(({ kind, externalId }) =>
      kind === 'valid' || kind === 'unfamiliar' ? [externalId as string] : [],
    );
    process.stdout.write(
      `${replicas} replica(s), seed ${seed}, ${(Date.now() - startedAt) / 1000} s: ` +
        `${JSON.stringify({ deliveries, ...counts, kept: kept.length, inTheLog: log.length })}\n`,
    );
    expect(counts.kills).toBe(kills);
    // Every delivery got the right status, and none got a 5xx.
    const by = (kind: string) => plan.filter((one) => one.kind === kind).length;
    expect(counts.answers).toEqual({
      'valid: 200': by('valid'),
      'duplicate: 200': by('duplicate'),
      'unfamiliar: 200': by('unfamiliar'),
      'malformed: 400': by('malformed'),
      'bad key: 401': by('bad key'),
    });
    // The log has exactly the acknowledged deliveries, each once.
    expect(log.toSorted()).toEqual(kept.toSorted());
  };

  it('is stored once, although the gateway is killed', () => suite(1), limitMs);

  it.runIf(process.env.TEST_DATABASE_URL)(
    'is stored once, although two replicas on one database are killed',
    () => suite(2),
    limitMs,
  );
});
