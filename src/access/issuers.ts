import type { Address } from '@srr-gateway/common/address';
import type { Issuer } from '../config/config.ts';

/** The issuers that the gateway acts for. Their file may change while it runs. */
export class Issuers {
  #all: readonly Issuer[] = [];
  readonly #followers: ((issuers: readonly Issuer[]) => void)[] = [];

  constructor(issuers: readonly Issuer[]) {
    this.replace(issuers);
  }

  /** Applies from the next request on. Running work keeps the keys that it has. */
  replace(issuers: readonly Issuer[]): void {
    this.#all = issuers;
    for (const follow of this.#followers) follow(issuers);
  }

  /** Calls `follow` now and after each change. */
  follow(follow: (issuers: readonly Issuer[]) => void): void {
    this.#followers.push(follow);
    follow(this.#all);
  }

  apiKeyOf(address: Address): string | undefined {
    return this.#all.find((issuer) => issuer.address === address)?.apiKey;
  }
}
