import { parseAddress } from '@srr-gateway/common/address';
import { LRUCache } from 'lru-cache';
import type { Commerce, Credentials } from '../clients/commerce/commerce.ts';
import { unauthenticated } from '../model/errors.ts';
import { digest } from './digest.ts';

/**
 * How long the service's answer about a key is cached: short enough that a revoked key soon stops working.
 */
const verifiedMs = 60_000;
/** Cached answers; the key of each is a hash. */
const maxVerified = 10_000;

/**
 * Characters of an HTTP header. Another key could not be sent upstream, and the failure would count as an
 * outage.
 */
const sendable = /^[\x21-\x7e]{1,1000}$/;

/** Authenticates by the service's own headers: asks the service whether the key is valid for the issuer. */
export function passthrough(commerce: Commerce) {
  const verified = new LRUCache<string, Promise<boolean>, Credentials>({
    max: maxVerified,
    ttl: verifiedMs,
    memoMethod: (name, _stale, { context }) => {
      const verification = commerce.verify(context);
      // An outage proves nothing, so do not cache it.
      verification.catch(() => verified.delete(name));
      return verification;
    },
  });

  return async (apiKey?: string, address?: string): Promise<Credentials> => {
    if (apiKey === undefined || address === undefined)
      throw unauthenticated('Missing header: commerce-api-key and issuer-address go together.');
    const issuer = parseAddress(address);
    if (!issuer) throw unauthenticated('issuer-address must be an Ethereum address.');
    if (!sendable.test(apiKey)) throw unauthenticated('commerce-api-key must be plain ASCII without spaces.');
    const credentials = { issuer, apiKey };
    if (await verified.memo(digest(issuer, apiKey), { context: credentials })) return credentials;
    throw unauthenticated(`The service says that the API key is not valid for ${issuer}.`);
  };
}
