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
import { BlockPin } from './block-pin.ts';
import { type ChildPages, childPages } from './child-pages.ts';
import { type ListReader, listReader } from './list-reader.ts';

/**
 * Loads what one request reads from the subgraph by key, batched and at one block. Each loader is made on
 * first use, because a request uses only one or two of them.
 */
export class SubgraphLoaders {
  protected readonly pin: BlockPin;
  readonly #subgraph: Subgraph;
  #srrLists: ListReader<SrrRecord> | undefined;
  #collectionLists: ListReader<CollectionRecord> | undefined;
  #licensedUserLists: ListReader<LicensedUserRecord> | undefined;
  #licensedUsers: ByKey<Address, LicensedUserRecord> | undefined;
  #collections: ByKey<Address, CollectionRecord> | undefined;
  #customHistory: ByKey<string, CustomHistoryRecord> | undefined;
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

  protected get licensedUserLists(): ListReader<LicensedUserRecord> {
    this.#licensedUserLists ??= listReader(this.pin, (windows, at) =>
      this.#subgraph.licensedUserLists(windows as never, at),
    );
    return this.#licensedUserLists;
  }

  /** A licensed user with these columns, or all when `columns` is absent; null when there is none. */
  licensedUser(address: Address, columns?: string): Promise<LicensedUserRecord | null> {
    this.#licensedUsers ??= this.#byKey(
      (addresses, at, columns) => this.#subgraph.licensedUsersByAddresses(addresses, at, columns),
      ({ licensedUsers }, address) => licensedUsers.get(address.toLowerCase()),
    );
    return this.#licensedUsers(address, columns);
  }

  /** A collection with these columns, or all when `columns` is absent; null when there is none. */
  collection(address: Address, columns?: string): Promise<CollectionRecord | null> {
    this.#collections ??= this.#byKey(
      (addresses, at, columns) => this.#subgraph.collectionsByAddresses(addresses, at, columns),
      ({ collections }, address) => collections.get(address.toLowerCase()),
    );
    return this.#collections(address, columns);
  }

  /** A custom history by its id; null when there is none. */
  customHistory(id: string): Promise<CustomHistoryRecord | null> {
    this.#customHistory ??= this.#byKey(
      (ids, at) => this.#subgraph.customHistoriesByIds(ids, at),
      ({ customHistories }, id) => customHistories.get(id),
    );
    return this.#customHistory(id);
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
    ask: (keys: readonly Key[], at: At, columns?: string) => Promise<Answer<Found>>,
    rowOf: (found: Found, key: Key) => Row | undefined,
  ): ByKey<Key, Row> {
    const loader = new DataLoader<Wanted<Key>, Row | null>(
      async (wanted) => {
        const keys = wanted.map(({ key }) => key);
        const found = await this.pin.read((at) => ask(keys, at, allColumns(wanted)));
        return keys.map((key) => rowOf(found, key) ?? null);
      },
      { cache: false },
    );
    const loaded = new Map<Key, (Wanted<Key> & { row: Promise<Row | null> })[]>();
    return (key, columns) => {
      const before = loaded.get(key) ?? [];
      const known = before.find((one) => covers(one.columns, columns));
      if (known) return known.row;
      const row = loader.load({ key, columns });
      loaded.set(key, [...before, { key, columns, row }]);
      return row;
    };
  }
}

/** A row that is wanted, and which of its columns; absent: all. */
export interface Wanted<Key> {
  key: Key;
  columns?: string | undefined;
}

type ByKey<Key, Row> = (key: Key, columns?: string) => Promise<Row | null>;

/** Whether a row that was read with some columns has the wanted ones. Users and collections nest none. */
function covers(read: string | undefined, wanted: string | undefined): boolean {
  if (read === undefined) return true;
  const columns = read.split(' ');
  return wanted?.split(' ').every((column) => columns.includes(column)) ?? false;
}

/** The columns of a batch: what any of it wants. */
export function allColumns(wanted: readonly Wanted<unknown>[]): string | undefined {
  const all = new Set<string>();
  for (const { columns } of wanted) {
    if (columns === undefined) return undefined;
    all.add(columns);
  }
  return [...all].join(' ');
}
