import type { IncomingMessage } from 'node:http';
import { type RateState, windowSeconds } from '../access/rate-limiter.ts';
import { credentialsOf, type RequestCredentials } from '../access/request-credentials.ts';
import { HttpError } from '../lib/http-error.ts';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { callerAddress } from './caller-address.ts';
import type { Hook } from './router.ts';

/** How requests are counted, and how their callers are told apart. */
export interface RateLimitOptions {
  take(caller: string): RateState;
  /** The issuer of credentials that were proven recently. Made-up credentials must not get a budget each. */
  provenIssuer(presented: RequestCredentials): string | undefined;
  /** The issuer of credentials that were not proven recently, where proving them is cheap. */
  prove(presented: RequestCredentials): Promise<string | undefined>;
  trustedProxies: number;
}

/**
 * Limits how often one caller sends requests, and reports what is left
 * (draft-ietf-httpapi-ratelimit-headers). Webhook deliveries and probes are not counted: their senders cannot
 * slow down.
 */
export function rateLimit(options: RateLimitOptions): Hook {
  return (req, res, { pathname }) => {
    if (pathname !== '/graphql' && !pathname.startsWith('/uploads/')) return;
    return after(spend(req, credentialsOf(req), options), (state) => {
      if (!state) return;
      const { allowed, limit, remaining, resetsIn } = state;
      res.setHeader('ratelimit-policy', `"minute";q=${limit};w=${windowSeconds}`);
      res.setHeader('ratelimit', `"minute";r=${remaining};t=${resetsIn}`);
      if (!allowed) throw new HttpError(429, tooOften(state), { 'retry-after': String(resetsIn) });
    });
  };
}

/**
 * Counts an operation that arrives on a socket. Returns the refusal when the budget is used up, else
 * undefined.
 */
export const countOperation =
  (options: RateLimitOptions) =>
  (req: IncomingMessage, presented: RequestCredentials): MaybePromise<string | undefined> =>
    after(spend(req, presented, options), (state) => (state && !state.allowed ? tooOften(state) : undefined));

const tooOften = ({ limit, resetsIn }: RateState) =>
  `More than ${limit} requests in a minute (RATE_LIMIT). Try again in ${resetsIn} seconds.`;

/** Takes one request from the caller's budget; undefined when the caller is not counted. */
function spend(
  req: IncomingMessage,
  presented: RequestCredentials,
  options: RateLimitOptions,
): MaybePromise<RateState | undefined> {
  const address = callerAddress(req, options.trustedProxies);
  if (address === undefined) return undefined;
  const issuer = options.provenIssuer(presented);
  const state = options.take(issuer ?? address);
  if (state.allowed || issuer !== undefined) return state;
  // Others behind the same address may have used up its budget, so see whether the caller has one of its own.
  return options.prove(presented).then((proven) => (proven === undefined ? state : options.take(proven)));
}
