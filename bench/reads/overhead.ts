import { request } from 'undici';
import { type Contender, startContender } from './contenders.ts';
import { type Measured, measure, type Timing } from './measure.ts';
import type { Query } from './queries.ts';
import { type Server, startGateway } from './servers.ts';

/** What limits and auth cost a read, while the block moves and while it stands. */
export interface Overhead {
  moves: Measured[];
  stands: Measured[];
}

/** Some per cent are to be told apart: of so many more rounds than others the middle is taken. */
const moreRounds = 4;

const token = 'a-token-of-the-bench';
/** Nobody comes near it, and every request is counted. */
const rateLimit = '1000000000';
const proxied = { 'x-forwarded-for': '203.0.113.7' };
/** To a request with a cookie no answer is given from memory; to one with a token neither. */
const noKeptAnswers = { cookie: 'bench=1' };

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
  headers: { ...proxied, ...noKeptAnswers, authorization: `Bearer ${token}` },
};
const withNone = {
  env: { RATE_LIMIT: '0' },
  nodeArguments: ['--import', './bench/reads/without-limits.ts'],
  headers: { ...proxied, ...noKeptAnswers },
};

/** The gateway beside itself without limits and auth, in turns, on the same query. */
export async function measureOverhead(sources: Server, query: Query, timing: Timing): Promise<Overhead> {
  const running = new AsyncDisposableStack();
  try {
    const start = async (how: typeof withAll | typeof withNone) =>
      startContender(running, startGateway(sources, how), how.headers);
    const bare = await start(withNone);
    const guarded = await start(withAll);
    await proveGuards(bare.server, guarded.server);
    const pair = (cold: boolean): Contender[] => [
      { name: 'without limits and auth', ...bare, cold },
      { name: 'with all of them', ...guarded, cold },
    ];
    const rounds = { ...timing, rounds: timing.rounds * moreRounds };
    return {
      moves: await measure(pair(true), query, sources, rounds),
      stands: await measure(pair(false), query, sources, rounds),
    };
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
  const free = await ask(bare, withNone.headers, `{ ${aliases} }`);
  const limited = await ask(guarded, withAll.headers, `{ ${aliases} }`);
  const unknown = { ...withAll.headers, authorization: 'Bearer nobody-knows-it' };
  const stranger = await ask(guarded, unknown, '{ __typename }');
  const areOff = free.text.includes('"data"') && !free.counted;
  const areOn =
    limited.text.includes('LIMIT_EXCEEDED') && limited.counted && stranger.text.includes('UNAUTHENTICATED');
  if (!areOff || !areOn)
    throw new Error(
      `Limits and auth are not off in one gateway and on in the other:\n${[free, limited, stranger].map(({ text }) => text).join('\n')}`,
    );
}
