import type { SandboxInfo } from '@srr-gateway/sandbox';
import { expect } from 'vitest';
import { type Mint, mintReader } from '../minted-records.ts';
import type { Outcome } from './client.ts';
import type { RandomIssuance } from './random-issuance.ts';
import { Tally } from './tally.ts';

/** A finished issuance, with the expected and the actual outcome. */
export interface Ended {
  requested: RandomIssuance;
  outcome: Outcome;
}

/** Compares what a gateway reports about issuances with the EVM, and counts the outcomes. */
export class OutcomeChecks {
  readonly #readMints: () => Promise<Mint[]>;
  readonly #statuses = new Tally();
  readonly #entries = new Tally();
  #minted = 0;

  constructor(info: SandboxInfo) {
    this.#readMints = mintReader(info);
  }

  /** Expects that no record is on the EVM twice, which must hold at any time. */
  async expectNoDuplicates(): Promise<Map<string, Mint[]>> {
    const mints = await this.#readMints();
    const byName = Map.groupBy(mints, ({ name }) => name);
    const twice = [...byName.values()].filter((ofOne) => ofOne.length > 1);
    expect(twice, 'minted more than once').toEqual([]);
    this.#minted = mints.length;
    return byName;
  }

  /** Expects the expected outcomes, and entries that match the EVM, including the token ids. */
  async expectOutcomes(ended: Ended[]): Promise<void> {
    const minted = await this.expectNoDuplicates();
    for (const { requested, outcome } of ended) {
      const { status, entries, history } = outcome;
      const reported = entries.map(({ externalId, status }) => ({ externalId, status }));
      const story = `${requested.requestId}: ${JSON.stringify(history, null, 1)}`;
      expect({ status, entries: reported }, story).toEqual(requested.expected);
      for (const { externalId, status, tokenId } of entries) {
        const seen = minted.get(externalId)?.map((mint) => mint.tokenId) ?? [];
        expect(seen, `${externalId} on the EVM. ${story}`).toEqual(status === 'ISSUED' ? [tokenId] : []);
        this.#entries.add(status);
      }
      this.#statuses.add(status);
    }
  }

  toString(): string {
    return [
      `issuances: ${this.#statuses.total} (${this.#statuses})`,
      `entries: ${this.#entries.total} (${this.#entries})`,
      `minted on the EVM: ${this.#minted}, none twice`,
    ].join('; ');
  }
}
