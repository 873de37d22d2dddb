import type { Address } from '@srr-gateway/common/address';
import type { Credentials } from '../clients/commerce/commerce.ts';
import type { Issuers } from './issuers.ts';
import type { SecretBox } from './secret-box.ts';

/**
 * Upstream credentials for work that outlives its request: the configured ones, or those stored with the
 * work.
 */
export class UpstreamCredentials {
  readonly #configured: Issuers;
  readonly #box: SecretBox;

  constructor(issuers: Issuers, box: SecretBox) {
    this.#configured = issuers;
    this.#box = box;
  }

  /** Encrypts the caller's key; null when it is the configured one, which is not copied into the database. */
  seal({ issuer, apiKey }: Credentials): Buffer | null {
    return this.#configured.apiKeyOf(issuer) === apiKey ? null : this.#box.seal(apiKey, issuer);
  }

  /**
   * The credentials of stored work; undefined when its issuer is no longer configured.
   * @throws when the stored key cannot be decrypted.
   */
  open(issuer: Address, sealed: Buffer | null): Credentials | undefined {
    const apiKey = sealed ? this.#box.open(sealed, issuer) : this.#configured.apiKeyOf(issuer);
    return apiKey === undefined ? undefined : { issuer, apiKey };
  }
}
