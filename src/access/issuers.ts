import type { Address } from '@srr-gateway/common/address';
import type { Issuer } from '../config/config.ts';

/** The configured issuers. ISSUERS_FILE may change while the gateway runs. */
export class Issuers {
  #all: readonly Issuer[] = [];
  readonly #followers: ((issuers: readonly Issuer[]) => void)[] = [];

  constructor(issuers: readonly Issuer[]) {
    this.replace(issuers);
  }

  /** Replaces the issuers from the next request on. Running work keeps its keys. */
  replace(issuers: readonly Issuer[]): void {
    this.#all = issuers;
    for (const follow of this.#followers) follow(issuers);
  }

  /** Calls `follow` now and after each change. */
  follow(follow: (issuers: readonly Issuer[]) => void): void {
    this.#followers.push(follow);
    follow(this.#all);
  }

  /** The configured API key of an issuer. */
  apiKeyOf(address: Address): string | undefined {
    return this.#all.find((issuer) => issuer.address === address)?.apiKey;
  }
}
