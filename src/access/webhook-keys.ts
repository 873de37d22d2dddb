import { createHash, timingSafeEqual } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import type { Issuers } from './issuers.ts';

const digest = (key: string) => createHash('sha256').update(key).digest();

/** Tells whose a delivery may be by its key. */
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
   * The issuers that `key` belongs to: several who were given the same one, which then does not say whose a
   * delivery is. Every live key is compared, in constant time, so that the answer's timing tells nothing.
   */
  issuersOf(key: string): Address[] {
    const given = digest(key);
    const found = new Set<Address>();
    for (const candidate of this.#keys)
      if (timingSafeEqual(candidate.digest, given)) found.add(candidate.issuer);
    return [...found];
  }
}
