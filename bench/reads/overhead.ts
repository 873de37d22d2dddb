import { request } from 'undici';
import { type Contender, startContender } from './contenders.ts';
import { type Measured, measure, type Timing } from './measure.ts';
import type { Query } from './queries.ts';
import { type Server, startGateway } from './servers.ts';

/** What each of them costs a read: nobody and somebody without limits and auth, and a token with all of them. */
export interface Overhead {
  nobody: Measured;
  somebody: Measured;
  proven: Measured;
}

/** Some per cent are to be told apart: of so many more rounds than others the middle is taken. */
const moreRounds = 4;

const token = 'a-token-of-the-bench';
/** Nobody comes near it, and every request is counted. */
const rateLimit = '1000000000';
const proxied = { 'x-forwarded-for': '203.0.113.7' };
/** To a request with a cookie no answer is given from memory; to one with a token neither. */
const nobody = { ...proxied, cookie: 'bench=1' };
const somebody = { ...nobody, authorization: `Bearer ${token}` };

const withAll = {
  env: {
    RATE_LIMIT: rateLimit,
    // Callers on the same machine are counted only behind a proxy.
    TRUSTED_PROXIES: '1',
    ISSUERS: JSON.stringify([
      {
        address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        apiKey: 'a-key-of-the-bench',
        tokens: [{ token, scopes: ['read'] }],
      },
    ]),
  },
};
const withNone = {
  env: { RATE_LIMIT: '0' },
  nodeArguments: ['--import', './bench/reads/unguarded/replace.ts'],
};

/**
 * The gateway beside itself without limits and auth, in turns, on the same query: while the block moves, or
 * while it stands.
 */
export async function measureOverhead(
  sources: Server,
  query: Query,
  timing: Timing,
): Promise<{ moves: Overhead; stands: Overhead }> {
  const running = new AsyncDisposableStack();
  try {
    const bare = startGateway(sources, withNone);
    const anonymous = await startContender(running, bare, nobody);
    const believed = await startContender(running, bare, somebody);
    const guarded = await startContender(running, startGateway(sources, withAll), somebody);
    await proveGuards(anonymous.server, guarded.server);
    const rounds = { ...timing, rounds: timing.rounds * moreRounds };
    const run = async (cold: boolean): Promise<Overhead> => {
      const contenders: Contender[] = [
        { name: 'nobody, without limits and auth', ...anonymous, cold },
        { name: 'somebody, without limits and auth', ...believed, cold },
        { name: 'a token, with all of them', ...guarded, cold },
      ];
      const measured = await measure(contenders, query, sources, rounds);
      const [first, second, third] = measured as [Measured, Measured, Measured];
      return { nobody: first, somebody: second, proven: third };
    };
    return { moves: await run(true), stands: await run(false) };
  } finally {
    await running.disposeAsync();
  }
}

/** @throws when the one limits, or the other does not: their difference would tell nothing. */
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
  const free = await ask(bare, nobody, `{ ${aliases} }`);
  const limited = await ask(guarded, somebody, `{ ${aliases} }`);
  const unknown = { ...nobody, authorization: 'Bearer nobody-knows-it' };
  const stranger = await ask(guarded, unknown, '{ __typename }');
  const areOff = free.text.includes('"data"') && !free.counted;
  const areOn =
    limited.text.includes('LIMIT_EXCEEDED') && limited.counted && stranger.text.includes('UNAUTHENTICATED');
  if (!areOff || !areOn)
    throw new Error(
      `Limits and auth are not off in one gateway and on in the other:\n${[free, limited, stranger].map(({ text }) => text).join('\n')}`,
    );
}
