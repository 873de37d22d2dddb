import type { Address } from '@srr-gateway/common/address';
import DataLoader from 'dataloader';
import type {
  CollectionRecord,
  CustomHistoryRecord,
  LicensedUserRecord,
  ListName,
  MetadataHistoryRecord,
  ProvenanceRecord,
  Row,
  SrrHistoryRecord,
  Subgraph,
} from '../clients/subgraph/subgraph.ts';
import { BlockPin } from './block-pin.ts';
import { type ChildPages, childPages } from './child-pages.ts';
import { type List, listReader } from './list-reader.ts';

/**
 * Loaders of one request for rows of the subgraph, batched and at one block. Each is made at its first use: a
 * request uses one or two of them.
 */
export class SubgraphLoaders {
  protected readonly pin: BlockPin;
  readonly #subgraph: Subgraph;
  readonly #lists = new Map<ListName, List<never>>();
  #licensedUsers: ById<LicensedUserRecord> | undefined;
  #collections: ById<CollectionRecord> | undefined;
  #customHistory: ById<CustomHistoryRecord> | undefined;
  #provenance: ChildPages<ProvenanceRecord> | undefined;
  #metadataHistory: ChildPages<MetadataHistoryRecord> | undefined;
  #customHistories: ChildPages<SrrHistoryRecord> | undefined;

  constructor(subgraph: Subgraph, signal: AbortSignal) {
    this.#subgraph = subgraph;
    this.pin = new BlockPin(signal);
  }

  /** The list of this name. */
  protected list<Name extends ListName>(name: Name): List<Row<Name>> {
    const known = this.#lists.get(name);
    if (known) return known;
    const read = listReader<Row<Name>>(this.pin, (windows, at) =>
      this.#subgraph.lists(name, windows as never, at),
    );
    const list = { name, read };
    this.#lists.set(name, list as never);
    return list;
  }

  /** A licensed user with these columns, or all when `columns` is absent; null when there is none. */
  licensedUser(address: Address, columns?: string): Promise<LicensedUserRecord | null> {
    this.#licensedUsers ??= this.#byId('licensedUsers');
    return this.#licensedUsers(address, columns);
  }

  /** A collection with these columns, or all when `columns` is absent; null when there is none. */
  collection(address: Address, columns?: string): Promise<CollectionRecord | null> {
    this.#collections ??= this.#byId('collections');
    return this.#collections(address, columns);
  }

  /** A custom history by its id; null when there is none. */
  customHistory(id: string): Promise<CustomHistoryRecord | null> {
    this.#customHistory ??= this.#byId('customHistories');
    return this.#customHistory(id);
  }

  get provenance() {
    this.#provenance ??= childPages(
      this.pin,
      'provenance',
      (row) => row.timestamp,
      this.#subgraph.provenancesOf,
    );
    return this.#provenance;
  }

  get metadataHistory() {
    this.#metadataHistory ??= childPages(
      this.pin,
      'metadataHistory',
      (row) => row.createdAt,
      this.#subgraph.metadataHistoriesOf,
    );
    return this.#metadataHistory;
  }

  get customHistories() {
    this.#customHistories ??= childPages(
      this.pin,
      'customHistories',
      (row) => row.createdAt,
      this.#subgraph.customHistoriesOf,
    );
    return this.#customHistories;
  }

  /** A loader by id; null for an id that the subgraph does not have. */
  #byId<Name extends ListName>(name: Name): ById<Row<Name>> {
    const loader = new DataLoader<RowRequest<string>, Row<Name> | null>(
      async (wanted) => {
        const ids = wanted.map(({ key }) => key);
        const columns = unionOfColumns(wanted);
        const { rows } = await this.pin.read((at) => this.#subgraph.byIds(name, ids, at, columns));
        return ids.map((id) => rows.get(id.toLowerCase()) ?? null);
      },
      { cache: false, batchScheduleFn: scheduleImmediate },
    );
    const loaded = new Map<string, (RowRequest<string> & { row: Promise<Row<Name> | null> })[]>();
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

/**
 * Schedules loaders to send their batch in the next turn, when Node has read the requests of other connections, whose
 * rows join the batch.
 */
export const scheduleImmediate = (send: () => void): void => void setImmediate(send);

/** A row to load. `columns` absent: all of them. */
export interface RowRequest<Key> {
  key: Key;
  columns?: string | undefined;
}

type ById<R> = (id: string, columns?: string) => Promise<R | null>;

/**
 * Whether the columns that were read include the wanted ones. Only for rows without nested selections: users
 * and collections.
 */
function covers(read: string | undefined, wanted: string | undefined): boolean {
  if (read === undefined) return true;
  const columns = read.split(' ');
  return wanted?.split(' ').every((column) => columns.includes(column)) ?? false;
}

/** The union of a batch's columns; undefined when one row wants all. */
export function unionOfColumns(wanted: readonly RowRequest<unknown>[]): string | undefined {
  const all = new Set(wanted.map(({ columns }) => columns));
  return all.has(undefined) ? undefined : [...all].join(' ');
}
