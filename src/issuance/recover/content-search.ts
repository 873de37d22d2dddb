import type { Address } from '@srr-gateway/common/address';
import { type MintedRecord, recordKeyText } from '../../model/record.ts';
import { externalIdsOfIssued, externalIdsOfRecord } from '../../store/events-of-issuance.ts';
import type { EntryRow, FlowDeps } from '../flow.ts';
import { clockSlackMs } from '../subgraph-lag.ts';
import { EntriesByContent, fileCids } from './entries-by-content.ts';
import type { SentEntry } from './sent-entries.ts';
import { takenTokens } from './token-ownership.ts';

type SearchDeps = Pick<FlowDeps, 'db' | 'files' | 'mintedSince'>;
type Candidate = { entry: SentEntry; record: MintedRecord };

/**
 * Whether an entry still has its payload. Once `dropOldDetails` has removed it, only the token id identifies the
 * record.
 */
const hasDetails = ({ payload }: EntryRow): boolean => 'metadata' in payload;

/**
 * Finds records on chain by content, for entries without a token id. Queries the subgraph once for all pages of
 * entries.
 */
export class ContentSearch {
  readonly #deps: SearchDeps;
  readonly #issuer: Address;
  readonly #signal: AbortSignal;
  readonly #candidates = new Map<string, Candidate[]>();
  #free: MintedRecord[] | undefined;
  /** The externalIds under which records were reported: those records belong to other entries, here or elsewhere. */
  #reported: ReadonlyMap<string, Set<string>> = new Map();

  constructor(deps: SearchDeps, issuer: Address, signal: AbortSignal) {
    this.#deps = deps;
    this.#issuer = issuer;
    this.#signal = signal;
  }

  /**
   * Compares a page of entries with the records on chain.
   * @param page Oldest requests first: they decide how far back the subgraph is queried.
   */
  async compare(page: SentEntry[]): Promise<void> {
    const nameless = page.filter((entry) => entry.token_id === null && hasDetails(entry));
    const [oldest] = nameless;
    if (!oldest) return;
    this.#free ??= await this.#freeSince(new Date(oldest.sentSince.getTime() - clockSlackMs));
    const cids = await fileCids(this.#deps.files, this.#deps.db, this.#issuer, nameless);
    const byContent = new EntriesByContent(nameless, cids);
    for (const record of this.#free)
      for (const entry of byContent.of(record)) {
        if (this.#reported.get(recordKeyText(record))?.has(entry.external_id) === false) continue;
        const all = this.#candidates.get(recordKeyText(record)) ?? [];
        this.#candidates.set(recordKeyText(record), [...all, { entry, record }]);
      }
  }

  /** The records that certainly belong to one entry, each with that entry. */
  async found(): Promise<Candidate[]> {
    const found: Candidate[] = [];
    for (const all of this.#candidates.values()) {
      const one = all.length > 1 ? await this.#decide(all) : all[0];
      if (one) found.push(one);
    }
    return found;
  }

  /**
   * Decides between several entries. A delivery may name one of them. The service accepts an externalId only once, so
   * the first entry that has it counts.
   */
  async #decide(all: Candidate[]): Promise<Candidate | undefined> {
    const { record } = all[0] as Candidate;
    const named = await externalIdsOfRecord(this.#deps.db, this.#issuer, record);
    const meant = all.filter(({ entry }) => named.has(entry.external_id));
    const [first, ...others] = meant.length > 0 ? meant : all;
    return others.every(({ entry }) => entry.external_id === first?.entry.external_id) ? first : undefined;
  }

  async #freeSince(since: Date): Promise<MintedRecord[]> {
    const { minted } = await this.#deps.mintedSince(this.#issuer, since, this.#signal);
    const taken = await takenTokens(this.#deps.db, this.#issuer, minted);
    this.#reported = await externalIdsOfIssued(this.#deps.db, this.#issuer, minted);
    return minted.filter((record) => !taken.has(recordKeyText(record)));
  }
}
