import { createHash, timingSafeEqual } from 'node:crypto';
import type { Address } from '../lib/address.ts';
import type { Issuers } from './issuers.ts';

const digest = (key: string) => createHash('sha256').update(key).digest();

/** Tells whose delivery it is by its key. */
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
   * The issuer that `key` belongs to, among all or for `only` one. Every live key is compared, in
   * constant time, so that the answer's timing tells nothing.
   */
  issuerOf(key: string, only?: Address): Address | undefined {
    const given = digest(key);
    let found: Address | undefined;
    for (const candidate of this.#keys)
      if (timingSafeEqual(candidate.digest, given)) found = candidate.issuer;
    return only === undefined || found === only ? found : undefined;
  }
}
