import type { Address } from '@srr-gateway/common/address';
import { sleep } from '@srr-gateway/common/time';
import DataLoader from 'dataloader';
import type { Ipfs } from '../clients/ipfs/ipfs.ts';
import type {
  CollectionRecord,
  IndexedBlock,
  LicensedUserRecord,
  SrrRecord,
  Subgraph,
} from '../clients/subgraph/subgraph.ts';
import { type RecordKey, recordKeyText } from '../model/record.ts';
import type { BlockPin } from './block-pin.ts';
import { DocumentReader } from './document-reader.ts';
import {
  type CollectionFilter,
  type LicensedUserFilter,
  type RecordFilter,
  subgraphCollectionFilter,
  subgraphFilter,
  subgraphUserFilter,
} from './filters.ts';
import { type IndexedRecord, notYetIndexed, unavailable } from './indexed-record.ts';
import { type KeysetPage, keysetPage, type Order, type PageArgs, type PageColumns } from './keyset-page.ts';
import type { LegacyDocuments } from './legacy-documents.ts';
import { readRecords } from './read-records.ts';
import { type RowRequest, SubgraphLoaders, scheduleImmediate, unionOfColumns } from './subgraph-loaders.ts';

/** Sources and settings of the catalog. */
export interface CatalogDeps {
  subgraph: Subgraph;
  ipfs: Ipfs;
  /** Documents of records from before 2023. Without it they are UNAVAILABLE. */
  legacy?: LegacyDocuments | undefined;
  /**
   * The registry contract, which holds the records without a collection. Without it they are looked up by token id
   * alone.
   */
  registryAddress: Address | undefined;
  /** How long to wait for the subgraph to show a new outcome, in milliseconds. */
  indexWaitMs: number;
}

/** Poll interval while waiting for the subgraph: blocks of a fast chain come about as often. */
const waitPollMs = 250;

/** All reads of one request from the subgraph, IPFS and the service: batched, deduplicated, and at one block. */
export class CatalogRequest extends SubgraphLoaders {
  readonly #deps: CatalogDeps;
  readonly #signal: AbortSignal;
  #complete = true;
  #records: DataLoader<RowRequest<RecordKey>, IndexedRecord, string> | undefined;
  readonly documents: DocumentReader;

  constructor(deps: CatalogDeps, signal: AbortSignal) {
    super(deps.subgraph, signal);
    this.#deps = deps;
    this.#signal = signal;
    this.documents = new DocumentReader(deps, signal);
  }

  /** The block that everything is read at; undefined before the first answer. */
  get block(): IndexedBlock | undefined {
    return this.pin.block;
  }

  /** The same, if a newer block may change what was read. */
  get newestBlock(): IndexedBlock | undefined {
    return this.pin.newest;
  }

  /** Whether all records could be read, with all their columns. Only then may the answer be cached. */
  get complete(): boolean {
    return this.#complete && !this.pin.trimmed;
  }

  /**
   * A record in the subgraph, with these columns, or all when `columns` is absent. When the subgraph is down,
   * `indexing` is UNAVAILABLE instead of a throw.
   */
  indexedRecord(key: RecordKey, columns?: string): Promise<IndexedRecord> {
    return this.#recordLoader.load({ key, columns });
  }

  /**
   * Like `indexedRecord`, for a record whose minting was reported at `reportedAt`: waits for it up to `indexWaitMs`
   * longer.
   */
  indexedRecordOfMinted(key: RecordKey, reportedAt: Date): Promise<IndexedRecord> {
    return this.#awaitRecord(key, reportedAt, ({ indexing }) => indexing === 'INDEXED');
  }

  /**
   * The same for a record whose transfer away from `from` was reported: waits for another owner, perhaps in vain,
   * because the record may have come back to `from`.
   */
  indexedRecordOfTransferred(key: RecordKey, from: Address, reportedAt: Date): Promise<IndexedRecord> {
    return this.#awaitRecord(
      key,
      reportedAt,
      ({ row }) => row !== undefined && row.ownerAddress !== from.toLowerCase(),
    );
  }

  /** Reads until the record is as expected, or the wait is over. Returns the last state. */
  async #awaitRecord(
    key: RecordKey,
    reportedAt: Date,
    expected: (part: IndexedRecord) => boolean,
  ): Promise<IndexedRecord> {
    const waitMs = this.#waitAfter(reportedAt);
    if (waitMs <= 0) return this.indexedRecord(key);
    const read = async () => {
      const [part] = await this.#readRecords([{ key }], (ask) => this.pin.readNewest(ask));
      return part ?? notYetIndexed;
    };
    return this.#readUntil(waitMs, read, expected);
  }

  /**
   * A collection whose deployment was reported at `reportedAt`: waits for it up to `indexWaitMs` longer; null when
   * the subgraph does not have it by then.
   */
  async collectionOfDeployed(address: Address, reportedAt: Date): Promise<CollectionRecord | null> {
    const waitMs = this.#waitAfter(reportedAt);
    if (waitMs <= 0) return this.collection(address);
    const read = async () => {
      const { rows } = await this.pin.readNewest((at) =>
        this.#deps.subgraph.byIds('collections', [address], at),
      );
      return rows.get(address.toLowerCase()) ?? null;
    };
    return this.#readUntil(waitMs, read, (found) => found !== null);
  }

  /**
   * How long to wait, in milliseconds, for something reported then. Zero or less: do not wait, and read it with the
   * rest of its page.
   */
  #waitAfter(reportedAt: Date): number {
    const { indexWaitMs } = this.#deps;
    // Clocks differ: one that is behind must not lengthen the wait.
    return Math.min(indexWaitMs, reportedAt.getTime() + indexWaitMs - Date.now());
  }

  /** Reads again until the result is as expected, the time is over, or the caller leaves. */
  async #readUntil<T>(waitMs: number, read: () => Promise<T>, expected: (result: T) => boolean): Promise<T> {
    const giveUpAt = performance.now() + waitMs;
    for (;;) {
      const result = await read();
      if (expected(result) || performance.now() + waitPollMs > giveUpAt || this.#signal.aborted)
        return result;
      await sleep(waitPollMs, this.#signal);
    }
  }

  /** A page of records. @throws GatewayError for bad arguments, or when the subgraph is unavailable. */
  srrs(
    args: PageArgs,
    order: Order<SrrRecord>,
    filter: RecordFilter,
    columns?: PageColumns,
  ): Promise<KeysetPage<SrrRecord>> {
    const where = subgraphFilter(filter, this.#deps.registryAddress);
    return keysetPage(this.list('srrs'), args, order, where, columns);
  }

  /** A page of collections. @throws as `srrs`. */
  collectionPage(
    args: PageArgs,
    order: Order<CollectionRecord>,
    filter: CollectionFilter,
    columns?: PageColumns,
  ): Promise<KeysetPage<CollectionRecord>> {
    return keysetPage(this.list('collections'), args, order, subgraphCollectionFilter(filter), columns);
  }

  /** A page of licensed users. @throws as `srrs`. */
  licensedUserPage(
    args: PageArgs,
    order: Order<LicensedUserRecord>,
    filter: LicensedUserFilter,
    columns?: PageColumns,
  ): Promise<KeysetPage<LicensedUserRecord>> {
    return keysetPage(this.list('licensedUsers'), args, order, subgraphUserFilter(filter), columns);
  }

  /** The contract of a record; undefined for the registry when its address is not configured. */
  contractOf(key: RecordKey): Address | undefined {
    return key.collection ?? this.#deps.registryAddress;
  }

  /** The key of a record by contract and token id. Null and the registry's address mean the registry. */
  keyOf(contract: Address | null | undefined, tokenId: string): RecordKey {
    const registry = contract == null || contract === this.#deps.registryAddress;
    return { collection: registry ? null : contract, tokenId };
  }

  get #recordLoader() {
    this.#records ??= new DataLoader((wanted) => this.#readRecords(wanted, (ask) => this.pin.read(ask)), {
      cacheKeyFn: ({ key, columns }) => `${recordKeyText(key)} ${columns ?? ''}`,
      batchScheduleFn: scheduleImmediate,
    });
    return this.#records;
  }

  async #readRecords(
    wanted: readonly RowRequest<RecordKey>[],
    read: BlockPin['readNewest'],
  ): Promise<IndexedRecord[]> {
    const keys = wanted.map(({ key }) => ({ ...key, contract: this.contractOf(key) }));
    try {
      return await readRecords(this.#deps.subgraph, read, keys, unionOfColumns(wanted));
    } catch (error) {
      this.#complete = false;
      return keys.map(() => unavailable(error));
    }
  }
}
