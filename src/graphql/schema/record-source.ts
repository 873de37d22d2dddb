import { parseAddress } from '@srr-gateway/common/address';
import type { BlockRef, CatalogRequest, IndexedRecord, SrrRecord } from '../../catalog/catalog.ts';
import { keyOfRow } from '../../catalog/catalog.ts';
import type { EntryRow } from '../../issuance/flow.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { GatewayError } from '../../model/errors.ts';
import type { RecordKey } from '../../model/record.ts';
import type { EventRow } from '../../store/tables.ts';
import type { Context } from '../execution/context.ts';

/** Source object of the type SRR: the known data of a record, and how to load the rest. */
export class RecordSource {
  /** Data from the issuance service's response, for the time before the record is on chain. */
  readonly issued: Pick<EntryRow, 'metadata_cid' | 'metadata_url'> | undefined;
  #key: RecordKey | undefined;
  readonly #load: (() => MaybePromise<IndexedRecord>) | undefined;
  #part: MaybePromise<IndexedRecord> | undefined;
  /** The row and its block, once loaded, because a page has a thousand fields that read them. */
  #row: SrrRecord | undefined;
  #at: BlockRef | undefined;
  #hasThrown = false;

  constructor(
    key: RecordKey | undefined,
    load: (() => MaybePromise<IndexedRecord>) | undefined,
    issued?: RecordSource['issued'],
  ) {
    this.#key = key;
    this.#load = load;
    this.issued = issued;
  }

  /** A record that was read from the subgraph with a list, at this block. */
  static ofRow(row: SrrRecord, at: BlockRef): RecordSource {
    const record = new RecordSource(undefined, undefined);
    record.#row = row;
    record.#at = at;
    return record;
  }

  /** Derived only when a field needs it: a list's row has only the selected columns. */
  get key(): RecordKey {
    this.#key ??= keyOfRow(this.#row as SrrRecord);
    return this.#key;
  }

  /** The same record, with data from the issuance service's response. */
  withIssued(issued: NonNullable<RecordSource['issued']>): RecordSource {
    return new RecordSource(this.key, () => this.chain(), issued);
  }

  /** The record in the subgraph. Loaded once, and only when a field needs it. */
  chain(): MaybePromise<IndexedRecord> {
    if (this.#part !== undefined) return this.#part;
    const part = this.#load ? this.#load() : this.#indexed();
    this.#part = part;
    if (part instanceof Promise)
      part.then(
        (known) => {
          this.#part = known;
          this.#row = known.row;
          this.#at = known.at;
        },
        // The waiting fields report the failure. Here it must not be an unhandled rejection.
        () => {},
      );
    return part;
  }

  #indexed(): IndexedRecord {
    return { indexing: 'INDEXED', ...(this.#row && { row: this.#row }), ...(this.#at && { at: this.#at }) };
  }

  /**
   * A field of the record's row in the subgraph, and the block it was read at; null when there is no row.
   * When the subgraph is down, the first field throws the typed error and the others are null, so that one
   * outage is one error.
   */
  row<T>(read: (row: SrrRecord, at: BlockRef) => MaybePromise<T>): MaybePromise<T | null> {
    if (this.#row && this.#at) return read(this.#row, this.#at);
    return after(this.chain(), ({ row, at, error }): MaybePromise<T | null> => {
      if (error && !this.#hasThrown) {
        this.#hasThrown = true;
        throw error as GatewayError;
      }
      return row && at ? read(row, at) : null;
    });
  }

  /**
   * The CID or digest of the metadata: the one on chain, which may be newer, else the one in the issuance service's
   * response.
   */
  metadataDigest<T>(read: (digest: string | undefined) => MaybePromise<T>): MaybePromise<T> {
    if (this.#row) return read(this.#digestOf(this.#row));
    return after(this.chain(), ({ row }) => read(this.#digestOf(row)));
  }

  #digestOf(row: SrrRecord | undefined): string | undefined {
    return row?.metadataDigest ?? this.issued?.metadata_cid ?? undefined;
  }
}

/** A record that is loaded from the subgraph by its key. */
export function recordOfKey(key: RecordKey, reads: CatalogRequest, columns?: string): RecordSource {
  return new RecordSource(key, () => reads.indexedRecord(key, columns));
}

/** The record of an entry; null until the issuance service has accepted the entry and given it a token id. */
export function recordOfEntry(
  entry: EntryRow,
  { loaders: { reads } }: Context,
  columns: string,
): RecordSource | null {
  if (entry.token_id === null) return null;
  const key = { collection: entry.collection_address, tokenId: entry.token_id };
  return recordOfKey(key, reads, columns).withIssued(entry);
}

/**
 * The record that an event is about. After a new outcome or transfer it waits until the subgraph shows it, at most
 * until INDEX_WAIT after the event.
 */
export async function recordOfEvent(event: EventRow, context: Context): Promise<RecordSource> {
  const { reads, issuances } = context.loaders;
  const entry = await issuances.entryOfToken.load({
    tokenId: event.token_id as string,
    collection: event.collection_address,
  });
  const key = {
    collection: entry?.collection_address ?? event.collection_address,
    tokenId: event.token_id as string,
  };
  const from = event.type === 'TRANSFER_COMPLETED' && parseAddress(String(event.raw.from));
  const load = () => {
    if (event.type === 'SRR_ISSUED') return reads.indexedRecordOfMinted(key, event.received_at);
    if (from) return reads.indexedRecordOfTransferred(key, from, event.received_at);
    return reads.indexedRecord(key);
  };
  return new RecordSource(key, load, entry ?? undefined);
}

/** Null for an unknown record. The issuer's own is known before the subgraph has indexed it. */
export function recordOrNull(record: RecordSource, { loaders }: Context): MaybePromise<RecordSource | null> {
  return after(record.chain(), ({ indexing }): MaybePromise<RecordSource | null> => {
    return indexing === 'NOT_YET_INDEXED' ? issuedOrNull(record, loaders) : record;
  });
}

async function issuedOrNull(record: RecordSource, loaders: Context['loaders']): Promise<RecordSource | null> {
  const entry = await loaders.issuances.entryOfToken.load(record.key);
  return entry && record.withIssued(entry);
}
