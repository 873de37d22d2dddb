import type { IncomingMessage } from 'node:http';
import { type RateState, windowSeconds } from '../access/rate-windows.ts';
import { callerAddress } from './caller-address.ts';
import { HttpError } from './respond.ts';
import type { Gate } from './server.ts';

export interface RateLimitOptions {
  take(caller: string): RateState;
  /** Of credentials that were proven a moment ago: made-up ones must not get a budget each. */
  issuerOf(req: IncomingMessage): string | undefined;
  trustedProxies: number;
}

/**
 * Limits how often one caller asks, and tells each how much it has left (draft-ietf-httpapi-ratelimit-headers).
 * Deliveries and probes are not counted: their senders cannot slow down.
 */
export function rateLimit(options: RateLimitOptions): Gate {
  return (req, res, { pathname }) => {
    if (pathname !== '/graphql' && !pathname.startsWith('/uploads/')) return true;
    const caller = callerOf(req, options);
    if (caller === undefined) return true;
    const { allowed, limit, remaining, resetsIn } = options.take(caller);
    res.setHeader('ratelimit-policy', `"minute";q=${limit};w=${windowSeconds}`);
    res.setHeader('ratelimit', `"minute";r=${remaining};t=${resetsIn}`);
    if (allowed) return true;
    throw new HttpError(429, tooOften({ limit, resetsIn }), { 'retry-after': String(resetsIn) });
  };
}

/** Counts an operation that comes over a socket; what to say when it is one too many. */
export function countOperation(options: RateLimitOptions): (req: IncomingMessage) => string | undefined {
  return (req) => {
    const caller = callerOf(req, options);
    const state = caller === undefined ? undefined : options.take(caller);
    return state && !state.allowed ? tooOften(state) : undefined;
  };
}

const tooOften = ({ limit, resetsIn }: Pick<RateState, 'limit' | 'resetsIn'>) =>
  `More than ${limit} requests in a minute (RATE_LIMIT). Try again in ${resetsIn} seconds.`;

/** Whose budget a request uses; undefined: nobody's, a process on this machine. */
function callerOf(req: IncomingMessage, options: Omit<RateLimitOptions, 'take'>): string | undefined {
  const address = callerAddress(req, options.trustedProxies);
  return address === undefined ? undefined : (options.issuerOf(req) ?? address);
}
