import { type Address, parseAddress } from '@srr-gateway/common/address';

/** A receiver of deliveries. */
export interface WebhookTarget {
  /** The issuer whose deliveries go here; absent: all issuers without a target of their own. */
  issuer?: string | undefined;
  url: string;
  /** Sent as `x-api-key`; a secret that the service and the receiver share. */
  key: string;
}

/**
 * Targets of deliveries. The live service's operator sets them by hand, so its API has no endpoint for it.
 */
export class WebhookTargets {
  readonly #own = new Map<Address, WebhookTarget>();
  #common: WebhookTarget | undefined;

  /** Sets a target and replaces an earlier one of the same issuer. Throws when `issuer` is not an address. */
  set(target: WebhookTarget): void {
    if (target.issuer === undefined) {
      this.#common = target;
      return;
    }
    const issuer = parseAddress(target.issuer.toLowerCase());
    if (issuer === undefined) throw new Error(`${target.issuer} is not an issuer's address`);
    this.#own.set(issuer, target);
  }

  /** The target of an issuer's deliveries; `undefined` when there is none. */
  of(issuer: Address): WebhookTarget | undefined {
    return this.#own.get(issuer) ?? this.#common;
  }

  /** The issuers that have a target; `all` when there is a common one. */
  reachable(): 'all' | Address[] {
    return this.#common ? 'all' : [...this.#own.keys()];
  }
}
