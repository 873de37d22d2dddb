import { createHash, timingSafeEqual } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import type { Issuers } from './issuers.ts';

const digest = (key: string) => createHash('sha256').update(key).digest();

/** Finds the issuers that a delivery may belong to, by its key. */
export class WebhookKeys {
  #keys: { issuer: Address; digest: Buffer }[] = [];

  constructor(issuers: Issuers) {
    issuers.follow((all) => {
      this.#keys = all.flatMap(({ address, webhookKeys }) =>
        webhookKeys.map((key) => ({ issuer: address, digest: digest(key) })),
      );
    });
  }

  /** Whether this issuer has any key. */
  has(issuer: Address): boolean {
    return this.#keys.some((one) => one.issuer === issuer);
  }

  /**
   * The issuers that have this `key`. When several have it, the key alone does not say whose delivery it is.
   * Compares every live key in constant time, so that timing reveals nothing.
   */
  issuersOf(key: string): Address[] {
    const given = digest(key);
    const found = new Set<Address>();
    for (const candidate of this.#keys)
      if (timingSafeEqual(candidate.digest, given)) found.add(candidate.issuer);
    return [...found];
  }
}
