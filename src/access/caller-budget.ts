import type { IncomingMessage } from 'node:http';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { publish } from '../observability/telemetry.ts';
import type { Authenticator } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { callerAddress } from './caller-address.ts';
import { type RateLimiter, type RateState, windowSeconds } from './rate-limiter.ts';
import type { RequestCredentials } from './request-credentials.ts';

/** Takes one request from its caller's budget; undefined when the caller is not counted. */
export type ChargeRequest = (
  req: IncomingMessage,
  credentials: RequestCredentials,
) => MaybePromise<RateState | undefined>;

/** The headers that tell a caller what is left of a budget (draft-ietf-httpapi-ratelimit-headers). */
export const rateHeaders = (policy: string, { limit, remaining, resetsIn }: RateState): string[] => [
  ...['ratelimit-policy', `"${policy}";q=${limit};w=${windowSeconds}`],
  ...['ratelimit', `"${policy}";r=${remaining};t=${resetsIn}`],
];

/** The request of an operation, and its response, whose headers show the caller's remaining budget. */
interface Charged {
  req: IncomingMessage;
  res?: { add?(...headers: string[]): void } | undefined;
}

/**
 * Takes the cost of an operation from its caller's budget; undefined when the caller is not counted. Call it once for
 * each operation, because it counts refusals and adds response headers.
 */
export type ChargeCost = (operation: Charged, caller: Caller, cost: number) => RateState | undefined;

/** The budgets for the cost of operations: one for each issuer, and one for each address without credentials. */
export function costBudgets(limiter: RateLimiter, trustedProxies: number): ChargeCost {
  return ({ req, res }, caller, cost) => {
    const address = callerAddress(req, trustedProxies);
    if (address === undefined) return undefined;
    // A prefix, because the same table counts the callers' requests.
    const name = `cost ${caller.kind === 'issuer' ? caller.issuer : address}`;
    const state = limiter.charge(name, cost);
    res?.add?.(...rateHeaders('cost', state));
    return counted('cost', state);
  };
}

/**
 * The request budgets: one for each issuer with verified credentials, so that made-up credentials get none, and one
 * for each address.
 */
export function requestBudgets(
  limiter: RateLimiter,
  authenticator: Pick<Authenticator, 'verify' | 'verifiedIssuer'>,
  trustedProxies: number,
): ChargeRequest {
  const charge: ChargeRequest = (req, credentials) => {
    const address = callerAddress(req, trustedProxies);
    if (address === undefined) return undefined;
    const issuer = authenticator.verifiedIssuer(credentials);
    const state = limiter.consume(issuer ?? address);
    if (state.refusal === undefined || issuer !== undefined) return state;
    // Others behind the same address may have used up its budget, so check whether the caller has its own.
    return authenticator
      .verify(credentials)
      .then((verified) => (verified === undefined ? state : limiter.consume(verified)));
  };
  return (req, credentials) =>
    after(charge(req, credentials), (state) => state && counted('requests', state));
}

function counted(budget: 'requests' | 'cost', state: RateState): RateState {
  if (state.refusal !== undefined) publish('budgetRefusal', { budget });
  return state;
}
