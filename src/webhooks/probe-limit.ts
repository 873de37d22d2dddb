import type { Address } from '@srr-gateway/common/address';
import { GatewayError } from '../model/errors.ts';

/** All endpoints of an issuer need a dozen. With many more, a caller could scan strangers’ addresses from here. */
const perMinute = 30;
const minuteMs = 60_000;

/** Limits the challenges and tests that an issuer's callers can have sent. */
export class ProbeLimit {
  #since = 0;
  readonly #counts = new Map<Address, number>();

  /** @throws GatewayError RATE_LIMITED when the issuer has used up its share of this minute in this process. */
  count(issuer: Address): void {
    if (performance.now() - this.#since > minuteMs) {
      this.#counts.clear();
      this.#since = performance.now();
    }
    const count = (this.#counts.get(issuer) ?? 0) + 1;
    this.#counts.set(issuer, count);
    if (count > perMinute)
      throw new GatewayError({
        code: 'RATE_LIMITED',
        message: `An issuer can have ${perMinute} challenges and tests sent in a minute. Try again in a minute.`,
      });
  }
}
