import { parseAddress } from '@srr-gateway/common/address';
import type { BlockRef, CatalogRequest, ChainPart, RecordKey, SrrRecord } from '../../catalog/catalog.ts';
import { keyOfRow } from '../../catalog/catalog.ts';
import type { EntryRow } from '../../issuance/flow.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { GatewayError } from '../../model/errors.ts';
import type { EventRow } from '../../store/tables.ts';
import type { Context } from '../execution/context.ts';

/** A record that is being resolved: what is known of it so far, and how to load the rest. */
export class RecordSource {
  readonly #keyOf: () => RecordKey;
  #key: RecordKey | undefined;
  /** What the issuance service answered, for the time before the record is on chain. */
  readonly issued: { metadataCID: string | null; metadataUrl: string | null } | undefined;
  readonly #load: () => MaybePromise<ChainPart>;
  #part: MaybePromise<ChainPart> | undefined;
  #told = false;

  constructor(keyOf: () => RecordKey, load: () => MaybePromise<ChainPart>, issued?: RecordSource['issued']) {
    this.#keyOf = keyOf;
    this.issued = issued;
    this.#load = load;
  }

  /** Worked out when a field needs it: the row of a list has only the columns that were asked for. */
  get key(): RecordKey {
    this.#key ??= this.#keyOf();
    return this.#key;
  }

  /** The same record, with what the issuance service answered. */
  withIssued(issued: NonNullable<RecordSource['issued']>): RecordSource {
    return new RecordSource(this.#keyOf, () => this.chain(), issued);
  }

  /** What the subgraph has of the record. Loaded once, and only when a field needs it. */
  chain(): MaybePromise<ChainPart> {
    if (this.#part !== undefined) return this.#part;
    const part = this.#load();
    this.#part = part;
    if (part instanceof Promise)
      part.then(
        (known) => {
          this.#part = known;
        },
        // Each field that waits gets the failure itself; here it must not count as unhandled.
        () => {},
      );
    return part;
  }

  /**
   * A field of the record's row in the subgraph, and the block it was read at; null when there is no row.
   * When the subgraph is down, only the first field that asks gets the typed error and the others are null,
   * so that one fault is reported once.
   */
  row<T>(read: (row: SrrRecord, at: BlockRef) => MaybePromise<T>): MaybePromise<T | null> {
    return after(this.chain(), ({ row, at, error }): MaybePromise<T | null> => {
      if (error && !this.#told) {
        this.#told = true;
        throw error as GatewayError;
      }
      return row && at ? read(row, at) : null;
    });
  }

  /**
   * The CID or digest of the metadata: the one on chain, which may have been updated, else the one that the
   * issuance service answered.
   */
  metadataDigest<T>(read: (digest: string | undefined) => MaybePromise<T>): MaybePromise<T> {
    return after(this.chain(), ({ row }) =>
      read(row?.metadataDigest ?? this.issued?.metadataCID ?? undefined),
    );
  }
}

/** A record that was read from the subgraph with a list, at this block. */
export function recordOfRow(row: SrrRecord, at: BlockRef): RecordSource {
  return new RecordSource(
    () => keyOfRow(row),
    () => ({ indexing: 'INDEXED', row, at }),
  );
}

/** A record that is loaded from the subgraph by its key. */
export function recordOfKey(key: RecordKey, reads: CatalogRequest, columns?: string): RecordSource {
  return new RecordSource(
    () => key,
    () => reads.chainPart(key, columns),
  );
}

/** The record of an entry; null until the issuance service has accepted the entry and given it a token id. */
export function recordOfEntry(
  entry: EntryRow,
  { loaders: { reads } }: Context,
  columns: string,
): RecordSource | null {
  if (entry.token_id === null) return null;
  const key = { collection: entry.collection_address, tokenId: entry.token_id };
  return recordOfKey(key, reads, columns).withIssued({
    metadataCID: entry.metadata_cid,
    metadataUrl: entry.metadata_url,
  });
}

/**
 * The record that an event is about. After a fresh outcome or transfer it waits, for INDEX_WAIT at most,
 * until the subgraph shows the change.
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
    if (event.type === 'SRR_ISSUED') return reads.chainPartOfMinted(key);
    if (from) return reads.chainPartOfTransferred(key, from, event.received_at);
    return reads.chainPart(key);
  };
  return new RecordSource(
    () => key,
    load,
    entry ? { metadataCID: entry.metadata_cid, metadataUrl: entry.metadata_url } : undefined,
  );
}
