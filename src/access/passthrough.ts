import { parseAddress } from '@srr-gateway/common/address';
import { LRUCache } from 'lru-cache';
import type { Commerce, Credentials } from '../clients/commerce/commerce.ts';
import { unauthenticated } from '../model/errors.ts';
import { digest } from './digest.ts';

/** How long a proof is remembered: short enough that a revoked key soon stops working. */
const proofMs = 60_000;
/** How many proofs are remembered; each is a hash. */
const maxProofs = 10_000;

/**
 * What an HTTP header can carry. Another key could not be sent upstream, and the failure would count as an
 * outage.
 */
const sendable = /^[\x21-\x7e]{1,1000}$/;

/**
 * Accepts the service's own headers once the service has accepted them. An issuer's address alone grants
 * nothing.
 */
export function passthrough(commerce: Commerce) {
  const proven = new LRUCache<string, Promise<boolean>>({ max: maxProofs, ttl: proofMs });

  const prove = (credentials: Credentials): Promise<boolean> => {
    const name = digest(credentials.issuer, credentials.apiKey);
    const known = proven.get(name);
    if (known) return known;
    const proof = commerce.verify(credentials);
    proven.set(name, proof);
    // An outage proves nothing either way, so only answers are remembered.
    proof.catch(() => proven.delete(name));
    return proof;
  };

  return async (apiKey?: string, address?: string): Promise<Credentials> => {
    if (apiKey === undefined || address === undefined)
      throw unauthenticated('Missing header: commerce-api-key and issuer-address go together.');
    const issuer = parseAddress(address);
    if (!issuer) throw unauthenticated('issuer-address must be an Ethereum address.');
    if (!sendable.test(apiKey)) throw unauthenticated('commerce-api-key must be plain ASCII without spaces.');
    if (await prove({ issuer, apiKey })) return { issuer, apiKey };
    throw unauthenticated(`The service says that the API key is not valid for ${issuer}.`);
  };
}
