import type { Credentials } from '../commerce/commerce.ts';
import type { Issuer } from '../config/config.ts';
import type { Address } from '../lib/address.ts';
import type { Sealer } from './sealer.ts';

/** Upstream credentials for work that outlives its request: configured ones, or sealed with the work. */
export class FlowKeys {
  readonly #configured: Map<Address, string>;
  readonly #sealer: Sealer;

  constructor(issuers: Issuer[], sealer: Sealer) {
    this.#configured = new Map(issuers.map(({ address, apiKey }) => [address, apiKey]));
    this.#sealer = sealer;
  }

  /** Null when the configured key is the caller's own: it is not copied into the store. */
  seal({ issuer, apiKey }: Credentials): Buffer | null {
    return this.#configured.get(issuer) === apiKey ? null : this.#sealer.seal(apiKey, issuer);
  }

  open(issuer: Address, sealed: Buffer | null): Credentials | undefined {
    const apiKey = sealed ? this.#sealer.open(sealed, issuer) : this.#configured.get(issuer);
    return apiKey === undefined ? undefined : { issuer, apiKey };
  }
}
