import { type Address, parseAddress } from '@srr-gateway/common/address';
import { sleep } from '@srr-gateway/common/time';
import DataLoader from 'dataloader';
import type { Ipfs } from '../clients/ipfs/ipfs.ts';
import {
  type CollectionRecord,
  type CustomHistoryRecord,
  type IndexedBlock,
  type LicensedUserRecord,
  type MetadataHistoryRecord,
  type ProvenanceRecord,
  type SrrHistoryRecord,
  type SrrRecord,
  type Subgraph,
  srrId,
} from '../clients/subgraph/subgraph.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { type ChainPart, notYetIndexed, unavailable } from './chain-part.ts';
import { IndexLoaders } from './index-loaders.ts';
import { type KeysetPage, keysetPage, type Order, type PageArgs } from './keyset-page.ts';
import type { LegacyDocuments } from './legacy-documents.ts';
import { isLegacyDigest, type MetadataResult, readMetadata } from './metadata-result.ts';
import type { BlockPin } from './pin.ts';
import { type RecordKey, recordKeyText } from './record-key.ts';
import { indexFilter, type RecordFilter } from './srr-filter.ts';

export interface CatalogDeps {
  subgraph: Subgraph;
  ipfs: Ipfs;
  /** Documents of records from before 2023; absent: those are unavailable. */
  legacy?: LegacyDocuments | undefined;
  /** Where records without a collection live; absent: they are found by token id. */
  registryAddress: Address | undefined;
  /** How long the record of a fresh outcome waits for the index, in milliseconds. */
  indexWaitMs: number;
}

/** While it waits for the index: a small query, as often as blocks come on a quick chain. */
const waitPollMs = 250;

/** Everything that one request reads of the three sources: batched, at one block, each thing once. */
export class CatalogRequest extends IndexLoaders {
  readonly #deps: CatalogDeps;
  readonly #signal: AbortSignal;
  #settled = true;
  readonly #metadata = new Map<string, MaybePromise<MetadataResult>>();
  #records: DataLoader<RecordKey, ChainPart, string> | undefined;

  constructor(deps: CatalogDeps, signal: AbortSignal) {
    super(deps.subgraph, signal);
    this.#deps = deps;
    this.#signal = signal;
  }

  /** The block that everything is read at; known from the first answer on. */
  get block(): IndexedBlock | undefined {
    return this.pin.block;
  }

  /** Two requests of one moment may share what one of them reads. */
  moment(): string {
    return this.#deps.subgraph.moment();
  }

  /** Whether all that was read was there: then reading again at the same block gives the same. */
  get settled(): boolean {
    return this.#settled;
  }

  /** What the chain says of a record. Never throws for a source that is down: the part says so. */
  chainPart(key: RecordKey): Promise<ChainPart> {
    return this.#recordLoader.load(key);
  }

  /** The same, waiting for the index as long as configured: the record is known to have been minted. */
  chainPartOfMinted(key: RecordKey): Promise<ChainPart> {
    const giveUpAt = Date.now() + this.#deps.indexWaitMs;
    return this.#awaitPart(key, giveUpAt, ({ indexing }) => indexing === 'INDEXED');
  }

  /** The same for a record that is known since `told` to have left its owner, to whom it may have come back. */
  chainPartOfTransferred(key: RecordKey, from: Address, told: Date): Promise<ChainPart> {
    const giveUpAt = told.getTime() + this.#deps.indexWaitMs;
    return this.#awaitPart(
      key,
      giveUpAt,
      ({ row }) => row !== undefined && row.ownerAddress !== from.toLowerCase(),
    );
  }

  /** Reads until the index shows what is expected of it, or it is time to show what there is. */
  async #awaitPart(
    key: RecordKey,
    giveUpAt: number,
    expected: (part: ChainPart) => boolean,
  ): Promise<ChainPart> {
    for (;;) {
      const [part] = await this.#readRecords([key], (ask) => this.pin.readNewest(ask));
      if (part && expected(part)) {
        this.#recordLoader.clear(key).prime(key, part);
        return part;
      }
      if (Date.now() + waitPollMs > giveUpAt || this.#signal.aborted) return part ?? notYetIndexed;
      await sleep(waitPollMs, this.#signal);
    }
  }

  /** The same for a collection that is known to have been deployed. */
  async collectionOfDeployed(address: Address): Promise<CollectionRecord | null> {
    const giveUpAt = Date.now() + this.#deps.indexWaitMs;
    for (;;) {
      const { collections } = await this.pin.readNewest((at) =>
        this.#deps.subgraph.collectionsByAddresses([address], at),
      );
      const found = collections.get(address.toLowerCase());
      if (found || Date.now() + waitPollMs > giveUpAt || this.#signal.aborted) return found ?? null;
      await sleep(waitPollMs, this.#signal);
    }
  }

  srrs(args: PageArgs, order: Order<SrrRecord>, filter: RecordFilter): Promise<KeysetPage<SrrRecord>> {
    return keysetPage(this.srrLists, args, order, indexFilter(filter, this.#deps.registryAddress));
  }

  collectionPage(
    args: PageArgs,
    filter: { owner?: Address | undefined; nameContains?: string | undefined },
  ): Promise<KeysetPage<CollectionRecord>> {
    const { owner, nameContains } = filter;
    const order: Order<CollectionRecord> = {
      field: 'createdAt',
      direction: 'desc',
      valueOf: (row) => row.createdAt,
    };
    return keysetPage(this.collectionLists, args, order, {
      ...(owner && { ownerAddress: owner.toLowerCase() }),
      ...(nameContains !== undefined && { name_contains_nocase: nameContains }),
    });
  }

  /**
   * The metadata document behind a digest as the chain records it; says why when there is none. `key` is
   * the record that has it now: the document of a digest from before 2023 is found by that.
   */
  metadata(digest: string, key?: RecordKey): MaybePromise<MetadataResult> {
    const name = key && isLegacyDigest(digest) ? `${digest} ${recordKeyText(key)}` : digest;
    const known = this.#metadata.get(name);
    if (known) return known;
    const result = this.#readMetadata(digest, key);
    const keep = (result: MetadataResult) => {
      this.#metadata.set(name, result);
      if (result.status !== 'VERIFIED') this.#settled = false;
    };
    this.#metadata.set(name, result);
    if (result instanceof Promise) result.then(keep, () => {});
    else keep(result);
    return result;
  }

  #readMetadata(digest: string, key: RecordKey | undefined): MaybePromise<MetadataResult> {
    const { ipfs, legacy } = this.#deps;
    if (!isLegacyDigest(digest)) return readMetadata(ipfs, digest, this.#signal);
    return legacy?.read(digest, key && tokenOf(key), this.#signal) ?? { status: 'UNAVAILABLE' };
  }

  /** Where a browser can load the document of a record; undefined for one that nobody serves. */
  metadataUrl(digest: string, key: RecordKey): string | undefined {
    const { ipfs, legacy } = this.#deps;
    return isLegacyDigest(digest) ? legacy?.urlOfToken(tokenOf(key)) : ipfs.url(digest);
  }

  /** What `text` names on IPFS, and where a browser can load it. */
  media(text: string): ReturnType<Ipfs['reference']> {
    return this.#deps.ipfs.reference(text);
  }

  /** The contract of a record; undefined for the registry when its address is not configured. */
  contractOf(key: RecordKey): Address | undefined {
    return key.collection ?? this.#deps.registryAddress;
  }

  /** A record's key by the contract that a caller names: the registry counts as none. */
  keyOf(contract: Address | null | undefined, tokenId: string): RecordKey {
    const registry = contract == null || contract === this.#deps.registryAddress;
    return { collection: registry ? null : contract, tokenId };
  }

  get #recordLoader() {
    this.#records ??= new DataLoader((keys) => this.#loadRecords(keys), { cacheKeyFn: recordKeyText });
    return this.#records;
  }

  #loadRecords(keys: readonly RecordKey[]): Promise<ChainPart[]> {
    return this.#readRecords(keys, (ask) => this.pin.read(ask));
  }

  /** By id where the contract is known; registry records of an unknown registry by their token id. */
  async #readRecords(keys: readonly RecordKey[], read: BlockPin['readNewest']): Promise<ChainPart[]> {
    const { subgraph } = this.#deps;
    const ids = keys.map((key) => {
      const contract = this.contractOf(key);
      return contract && srrId(contract, key.tokenId);
    });
    const byContract = keys.flatMap((key) => {
      const contract = this.contractOf(key);
      return contract ? [{ ...key, contract }] : [];
    });
    const byToken = keys.filter((_, i) => ids[i] === undefined).map((key) => key.tokenId);
    try {
      const [known, registry] = await Promise.all([
        byContract.length > 0 ? read((at) => subgraph.srrsByTokens(byContract, at)) : undefined,
        byToken.length > 0
          ? read((at) =>
              subgraph.srrs({ where: { tokenId_in: byToken, collection: null }, first: byToken.length }, at),
            )
          : undefined,
      ]);
      return keys.map((key, i) => {
        const id = ids[i];
        const row =
          id === undefined ? registry?.srrs.find((one) => one.tokenId === key.tokenId) : known?.srrs.get(id);
        const block = (id === undefined ? registry : known)?.block.number;
        return row ? { indexing: 'INDEXED', row, ...(block !== undefined && { block }) } : notYetIndexed;
      });
    } catch (error) {
      this.#settled = false;
      return keys.map(() => unavailable(error));
    }
  }
}

const tokenOf = ({ collection, tokenId }: RecordKey) => ({ contract: collection, tokenId });

/** The key of an indexed record. */
export function keyOfRow(row: SrrRecord): RecordKey {
  return { collection: parseAddress(row.collection?.id ?? '') ?? null, tokenId: row.tokenId ?? '' };
}

export type {
  CollectionRecord,
  CustomHistoryRecord,
  LicensedUserRecord,
  MetadataHistoryRecord,
  ProvenanceRecord,
  SrrHistoryRecord,
  SrrRecord,
};
