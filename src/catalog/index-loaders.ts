import type { Address } from '@srr-gateway/common/address';
import DataLoader from 'dataloader';
import type {
  Answer,
  At,
  CollectionRecord,
  CustomHistoryRecord,
  LicensedUserRecord,
  MetadataHistoryRecord,
  ProvenanceRecord,
  SrrHistoryRecord,
  SrrRecord,
  Subgraph,
} from '../clients/subgraph/subgraph.ts';
import { type ChildPages, childPages } from './child-pages.ts';
import { type ListReader, listReader } from './list-reader.ts';
import { BlockPin } from './pin.ts';

/**
 * Loads what one request reads from the subgraph by key, batched and at one block. Each loader is made on
 * first use, because a request uses only one or two of them.
 */
export class IndexLoaders {
  protected readonly pin: BlockPin;
  readonly #subgraph: Subgraph;
  #srrLists: ListReader<SrrRecord> | undefined;
  #collectionLists: ListReader<CollectionRecord> | undefined;
  #licensedUsers: DataLoader<Address, LicensedUserRecord | null> | undefined;
  #collections: DataLoader<Address, CollectionRecord | null> | undefined;
  #customHistory: DataLoader<string, CustomHistoryRecord | null> | undefined;
  #provenance: ChildPages<ProvenanceRecord> | undefined;
  #metadataHistory: ChildPages<MetadataHistoryRecord> | undefined;
  #customHistories: ChildPages<SrrHistoryRecord> | undefined;

  constructor(subgraph: Subgraph, signal: AbortSignal) {
    this.#subgraph = subgraph;
    this.pin = new BlockPin(signal);
  }

  protected get srrLists(): ListReader<SrrRecord> {
    this.#srrLists ??= listReader(this.pin, (windows, at) => this.#subgraph.srrLists(windows as never, at));
    return this.#srrLists;
  }

  protected get collectionLists(): ListReader<CollectionRecord> {
    this.#collectionLists ??= listReader(this.pin, (windows, at) =>
      this.#subgraph.collectionLists(windows as never, at),
    );
    return this.#collectionLists;
  }

  get licensedUsers() {
    this.#licensedUsers ??= this.#byKey(
      (addresses, at) => this.#subgraph.licensedUsersByAddresses(addresses, at),
      ({ licensedUsers }, address) => licensedUsers.get(address.toLowerCase()),
    );
    return this.#licensedUsers;
  }

  get collections() {
    this.#collections ??= this.#byKey(
      (addresses, at) => this.#subgraph.collectionsByAddresses(addresses, at),
      ({ collections }, address) => collections.get(address.toLowerCase()),
    );
    return this.#collections;
  }

  get customHistory() {
    this.#customHistory ??= this.#byKey(
      (ids, at) => this.#subgraph.customHistoriesByIds(ids, at),
      ({ customHistories }, id) => customHistories.get(id),
    );
    return this.#customHistory;
  }

  get provenance() {
    this.#provenance ??= childPages(
      this.pin,
      (row) => row.timestamp,
      (ids, window, at) => this.#subgraph.provenancesOf(ids, window, at),
    );
    return this.#provenance;
  }

  get metadataHistory() {
    this.#metadataHistory ??= childPages(
      this.pin,
      (row) => row.createdAt,
      (ids, window, at) => this.#subgraph.metadataHistoriesOf(ids, window, at),
    );
    return this.#metadataHistory;
  }

  get customHistories() {
    this.#customHistories ??= childPages(
      this.pin,
      (row) => row.createdAt,
      (ids, window, at) => this.#subgraph.customHistoriesOf(ids, window, at),
    );
    return this.#customHistories;
  }

  /** A loader by key; null for a key that the subgraph does not have. */
  #byKey<Key extends string, Found, Row>(
    ask: (keys: readonly Key[], at: At) => Promise<Answer<Found>>,
    rowOf: (found: Found, key: Key) => Row | undefined,
  ): DataLoader<Key, Row | null> {
    return new DataLoader(async (keys) => {
      const found = await this.pin.read((at) => ask(keys, at));
      return keys.map((key) => rowOf(found, key) ?? null);
    });
  }
}
