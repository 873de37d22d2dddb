import type { Address } from '@srr-gateway/common/address';
import type { Credentials } from '../clients/commerce/commerce.ts';
import type { Issuers } from './issuers.ts';
import type { SecretBox } from './secret-box.ts';

/** Upstream credentials for work that outlives its request: configured ones, or sealed with the work. */
export class UpstreamCredentials {
  readonly #configured: Issuers;
  readonly #sealer: SecretBox;

  constructor(issuers: Issuers, sealer: SecretBox) {
    this.#configured = issuers;
    this.#sealer = sealer;
  }

  /** Null when the configured key is the caller's own: it is not copied into the store. */
  seal({ issuer, apiKey }: Credentials): Buffer | null {
    return this.#configured.apiKeyOf(issuer) === apiKey ? null : this.#sealer.seal(apiKey, issuer);
  }

  open(issuer: Address, sealed: Buffer | null): Credentials | undefined {
    const apiKey = sealed ? this.#sealer.open(sealed, issuer) : this.#configured.apiKeyOf(issuer);
    return apiKey === undefined ? undefined : { issuer, apiKey };
  }
}
