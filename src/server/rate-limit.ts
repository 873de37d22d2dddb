import type { IncomingMessage } from 'node:http';
import { type Presented, presentedBy } from '../access/presented.ts';
import { type RateState, windowSeconds } from '../access/rate-limiter.ts';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { callerAddress } from './caller-address.ts';
import { HttpError } from './respond.ts';
import type { Gate } from './server.ts';

export interface RateLimitOptions {
  take(caller: string): RateState;
  /** Of credentials that were proven a moment ago: made-up ones must not get a budget each. */
  issuerOf(presented: Presented): string | undefined;
  /** The same of a token that was not, where that costs little. */
  prove(presented: Presented): Promise<string | undefined>;
  trustedProxies: number;
}

/**
 * Limits how often one caller asks, and tells each how much it has left (draft-ietf-httpapi-ratelimit-headers).
 * Deliveries and probes are not counted: their senders cannot slow down.
 */
export function rateLimit(options: RateLimitOptions): Gate {
  return (req, res, { pathname }) => {
    if (pathname !== '/graphql' && !pathname.startsWith('/uploads/')) return true;
    return after(spend(req, presentedBy(req), options), (state) => {
      if (!state) return true;
      const { allowed, limit, remaining, resetsIn } = state;
      res.setHeader('ratelimit-policy', `"minute";q=${limit};w=${windowSeconds}`);
      res.setHeader('ratelimit', `"minute";r=${remaining};t=${resetsIn}`);
      if (allowed) return true;
      throw new HttpError(429, tooOften(state), { 'retry-after': String(resetsIn) });
    });
  };
}

/** Counts an operation that comes over a socket; what to say when it is one too many. */
export const countOperation =
  (options: RateLimitOptions) =>
  (req: IncomingMessage, presented: Presented): MaybePromise<string | undefined> =>
    after(spend(req, presented, options), (state) => (state && !state.allowed ? tooOften(state) : undefined));

const tooOften = ({ limit, resetsIn }: RateState) =>
  `More than ${limit} requests in a minute (RATE_LIMIT). Try again in ${resetsIn} seconds.`;

/** What is left of the budget that a request uses; undefined: it uses nobody's. */
function spend(
  req: IncomingMessage,
  presented: Presented,
  options: RateLimitOptions,
): MaybePromise<RateState | undefined> {
  const address = callerAddress(req, options.trustedProxies);
  if (address === undefined) return undefined;
  const issuer = options.issuerOf(presented);
  const state = options.take(issuer ?? address);
  if (state.allowed || issuer !== undefined) return state;
  // Somebody else behind the same address may have used it up.
  return options.prove(presented).then((proven) => (proven === undefined ? state : options.take(proven)));
}
