import { type Address, parseAddress } from '@srr-gateway/common/address';

export interface WebhookTarget {
  /** Whose deliveries go there; absent: those of every issuer without a target of its own. */
  issuer?: string | undefined;
  url: string;
  /** Sent as `x-api-key`: a secret between the service and the receiver. */
  key: string;
}

/** Where deliveries go. The live service has this set up by hand, so it is no part of its API. */
export class WebhookTargets {
  readonly #own = new Map<Address, WebhookTarget>();
  #common: WebhookTarget | undefined;

  /** Sets a target, over an earlier one for the same issuer. Throws when `issuer` is no address. */
  set(target: WebhookTarget): void {
    if (target.issuer === undefined) {
      this.#common = target;
      return;
    }
    const issuer = parseAddress(target.issuer.toLowerCase());
    if (issuer === undefined) throw new Error(`${target.issuer} is not an issuer's address`);
    this.#own.set(issuer, target);
  }

  of(issuer: Address): WebhookTarget | undefined {
    return this.#own.get(issuer) ?? this.#common;
  }

  /** Issuers that have somewhere to deliver to. */
  reachable(): 'all' | Address[] {
    return this.#common ? 'all' : [...this.#own.keys()];
  }
}
