import { request } from 'undici';
import { anonymousCaller, callerWithToken, guardedEnv } from './callers.ts';
import { startContender } from './contenders.ts';
import { type Measured, measure, type Timing } from './measure.ts';
import type { Query } from './queries.ts';
import { type Server, startGateway } from './servers.ts';

/**
 * The cost of a read in each round: an anonymous one without limits and auth, and one with a token and all of
 * them.
 */
export interface Overhead {
  bare: Measured;
  guarded: Measured;
}

/** The rounds of each start. */
export interface Overheads {
  moves: Overhead[];
  stands: Overhead[];
  /** The cost of a query that reads no source. */
  smallest: Overhead[];
}

/** Short, so that other work of the machine affects two consecutive rounds alike. */
const shorter = 4;
/** Until hot code is compiled, of which the gateway with limits has more. */
const warmUpMs = 2_000;

const withNone = {
  env: { RATE_LIMIT: '0', COST_LIMIT: '0' },
  nodeArguments: ['--import', './bench/reads/unguarded/replace.ts'],
};

/**
 * Compares the gateway with itself without limits and auth, in turns, on the same query: while the block
 * moves, and while it stands.
 */
export async function measureOverhead(
  sources: Server,
  { query, smallest }: { query: Query; smallest: Query },
  { rounds, roundMs }: Timing,
  /**
   * Two processes of the same program differ by a few per cent, so the median is over the rounds of several.
   */
  starts: number,
): Promise<Overheads> {
  const all: Overheads = { moves: [], stands: [], smallest: [] };
  const timing = {
    rounds: rounds * shorter,
    roundMs: roundMs / shorter,
    warmUpMs: Math.min(warmUpMs, 4 * roundMs),
  };
  for (let start = 0; start < starts; start++) {
    await using running = new AsyncDisposableStack();
    const bare = await startContender(running, startGateway(sources, withNone), { headers: anonymousCaller });
    const guarded = await startContender(running, startGateway(sources, { env: guardedEnv }), {
      headers: callerWithToken,
    });
    await proveGuards(bare.server, guarded.server);
    const run = async (asked: Query, cold: boolean): Promise<Overhead> => {
      const contenders = [
        { name: 'nobody, without limits and auth', ...bare, cold },
        { name: 'a token, with all of them', ...guarded, cold },
      ];
      const measured = await measure(contenders, asked, sources, timing);
      const [first, second] = measured as [Measured, Measured];
      return { bare: first, guarded: second };
    };
    all.moves.push(await run(query, true));
    all.stands.push(await run(query, false));
    all.smallest.push(await run(smallest, false));
  }
  return all;
}

/**
 * @throws when the bare gateway has limits or the other has none, because their difference would be
 * meaningless.
 */
async function proveGuards(bare: Server, guarded: Server): Promise<void> {
  const ask = async ({ url }: Server, headers: Record<string, string>, query: string) => {
    const answer = await request(`${url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return { text: await answer.body.text(), counted: answer.headers.ratelimit !== undefined };
  };
  // More than MAX_ALIASES.
  const aliases = Array.from({ length: 60 }, (_, i) => `a${i}: __typename`).join(' ');
  const free = await ask(bare, anonymousCaller, `{ ${aliases} }`);
  const limited = await ask(guarded, callerWithToken, `{ ${aliases} }`);
  const unknown = { ...anonymousCaller, authorization: 'Bearer nobody-knows-it' };
  const stranger = await ask(guarded, unknown, '{ __typename }');
  const areOff = free.text.includes('"data"') && !free.counted;
  const areOn =
    limited.text.includes('LIMIT_EXCEEDED') && limited.counted && stranger.text.includes('UNAUTHENTICATED');
  if (!areOff || !areOn)
    throw new Error(
      `Limits and auth are not off in one gateway and on in the other:\n${[free, limited, stranger].map(({ text }) => text).join('\n')}`,
    );
}
