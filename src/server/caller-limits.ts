import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type RateState, windowSeconds } from '../access/rate-limiter.ts';
import { credentialsOf, type RequestCredentials } from '../access/request-credentials.ts';
import { HttpError } from '../lib/http-error.ts';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { graphqlPath } from '../lib/operation-params.ts';
import type { Hook } from './response.ts';

/** How requests are counted, and how their callers are told apart. */
export interface RateLimitOptions {
  take(caller: string): RateState;
  /** The issuer of credentials that were proven recently. Made-up credentials must not get a budget each. */
  provenIssuer(credentials: RequestCredentials): string | undefined;
  /** The issuer of credentials that were not proven recently, where proving them is cheap. */
  prove(credentials: RequestCredentials): Promise<string | undefined>;
  trustedProxies: number;
}

/**
 * Limits how often one caller sends requests, and reports what is left
 * (draft-ietf-httpapi-ratelimit-headers). Webhook deliveries and probes are not counted: their senders cannot
 * slow down.
 */
export function rateLimit(options: RateLimitOptions): Hook {
  return (req, res, { pathname }) => {
    if (pathname !== graphqlPath && !pathname.startsWith('/uploads/')) return;
    return after(spend(req, credentialsOf(req), options), (state) => {
      if (!state) return;
      const { allowed, limit, remaining, resetsIn } = state;
      res.add(
        'ratelimit-policy',
        `"minute";q=${limit};w=${windowSeconds}`,
        'ratelimit',
        `"minute";r=${remaining};t=${resetsIn}`,
      );
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
  (req: IncomingMessage, credentials: RequestCredentials): MaybePromise<string | undefined> =>
    after(spend(req, credentials, options), (state) =>
      state && !state.allowed ? tooOften(state) : undefined,
    );

const tooOften = ({ limit, resetsIn }: RateState) =>
  `More than ${limit} requests in a minute (RATE_LIMIT). Try again in ${resetsIn} seconds.`;

/** Takes one request from the caller's budget; undefined when the caller is not counted. */
function spend(
  req: IncomingMessage,
  credentials: RequestCredentials,
  options: RateLimitOptions,
): MaybePromise<RateState | undefined> {
  const address = callerAddress(req, options.trustedProxies);
  if (address === undefined) return undefined;
  const issuer = options.provenIssuer(credentials);
  const state = options.take(issuer ?? address);
  if (state.allowed || issuer !== undefined) return state;
  // Others behind the same address may have used up its budget, so see whether the caller has one of its own.
  return options.prove(credentials).then((proven) => (proven === undefined ? state : options.take(proven)));
}

/**
 * Limits the event streams and sockets that one address has open, because each takes memory for as long as it
 * is open. Counted by address and not by issuer: all readers of a front-end may use the token of one issuer.
 * The returned function counts one until `end` emits `close`; it returns why it is refused, or undefined.
 */
export function streamLimit(max: number, trustedProxies: number) {
  const open = new Map<string, number>();
  return (req: IncomingMessage, end: EventEmitter): string | undefined => {
    const address = callerAddress(req, trustedProxies);
    if (address === undefined) return undefined;
    const held = open.get(address) ?? 0;
    if (held >= max)
      return `This address has ${held} event streams and sockets open, and may have ${max} (MAX_STREAMS).`;
    open.set(address, held + 1);
    end.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    return undefined;
  };
}

/**
 * The caller's address, as a name that the caller cannot change at will: what the outermost trusted proxy
 * saw, because the caller can write everything to the left of that itself. Undefined for a process on this
 * machine when no proxy is declared: all callers behind an undeclared local proxy would share its name.
 */
export function callerAddress(req: IncomingMessage, trustedProxies: number): string | undefined {
  const direct = req.socket.remoteAddress ?? '';
  if (trustedProxies === 0) return loopback.test(direct) ? undefined : network(direct);
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  return network(addressIn(forwarded.at(-trustedProxies)?.trim() ?? '') ?? direct);
}

export const loopback = /^(::ffff:)?127\.|^::1$/;

/**
 * Some proxies write the port too. Undefined unless it is an address: text such as 009.9.9.9 could be varied
 * without end.
 */
function addressIn(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1];
  return bare !== undefined && isIP(bare) !== 0 ? bare : undefined;
}

/** IPv6 addresses are cut to their /64, because a household or a server has a whole /64 to call from. */
function network(address: string): string {
  if (!address.includes(':')) return address;
  // The URL parser writes each address in one form, so that one caller does not get several names.
  const hostname = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(hostname) ?? [];
  if (high !== undefined && low !== undefined) return dotted(high, low);
  const [head = '', tail] = hostname.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`;
}

/** The IPv4 address in the last two groups of an IPv4-mapped IPv6 address. */
const dotted = (...groups: [high: string, low: string]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
