import type { Address } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import type { Selectable } from 'kysely';
import type { Commerce, Credentials, FileState } from '../clients/commerce/commerce.ts';
import type { CollectionSearch, DeployedCollection } from '../model/deployed-collection.ts';
import type { FileKey, KnownFile } from '../model/file.ts';
import type { MintedSince, RecordKey } from '../model/record.ts';
import type { Leased } from '../store/row-worker.ts';
import type { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { IssuanceBatchTable, IssuanceEntryTable, IssuanceTable } from '../store/tables.ts';
import type { DocumentNames } from './metadata-document.ts';
import type { PreflightSources } from './preflight/sources.ts';

export type IssuanceRow = Selectable<IssuanceTable>;
/** Key of an issuance. It has the issuer, so that no caller finds a row by its id alone. */
export type IssuanceKey = Pick<IssuanceRow, 'id' | 'issuer'>;
export type BatchRow = Selectable<IssuanceBatchTable>;
export type EntryRow = Selectable<IssuanceEntryTable>;

/** Files of the issuers, from the table of `uploads/`. */
export interface Files {
  /** Known files with one of these names or permanent addresses. */
  find(
    db: Db,
    issuer: Address,
    by: { filenames?: readonly string[]; urls?: readonly string[] },
  ): Promise<KnownFile[]>;
  /** Stores the hashes of ready files. Returns the hash that the caller announced for each, or null. */
  recordContents(db: Db, issuer: Address, files: (FileKey & FileState)[]): Promise<(string | null)[]>;
}

/** Dependencies of the issuance flow, wired in `app/services.ts`. */
export interface FlowDeps {
  db: Db;
  signals: Signals;
  commerce: Commerce;
  files: Files;
  names: DocumentNames;
  /** The registry contract. A record on it belongs to no collection. */
  registryAddress: Address | undefined;
  preflight: PreflightSources;
  log: Logger;
  /** The records that the subgraph shows as minted, and its block. */
  mintedOf(
    keys: RecordKey[],
    signal: AbortSignal,
  ): Promise<{ block: number | undefined; minted: RecordKey[] }>;
  /**
   * The issuer's records minted since a time, to find those whose ids were lost; and the block time up to which the
   * subgraph is synced, if known.
   */
  mintedSince(issuer: Address, since: Date, signal: AbortSignal): Promise<MintedSince>;
  /** The issuer's collection with a salt or at an address, as far as the subgraph is synced. */
  deployedCollection(search: CollectionSearch, signal: AbortSignal): Promise<DeployedCollection>;
  /** Stores upstream credentials beyond the request that brought them. */
  keys: {
    /** Null when the issuer's key is configured and need not be stored. */
    seal(credentials: Credentials): Buffer | null;
    open(issuer: Address, sealed: Buffer | null): Credentials | undefined;
  };
  /**
   * Whether no other process can use this database, so that each lease found at the start is that of a dead process.
   */
  alone: boolean;
  /** Milliseconds. */
  timeouts: {
    filesReady: number;
    reconcileAfter: number;
    drain: number;
    /** How long a caller waits for an answer. */
    request: number;
    /** How long after a failure the subgraph is asked for the record or the collection. */
    failureWatch: number;
    /** How long a subscriber waits for the subgraph to show what was issued. */
    indexWait: number;
    /** How long after its outcome a record is checked on chain. */
    reorgWatch: number;
    /** How long a finished issuance keeps its payloads, inputs and file list. */
    keepDetails: number;
  };
  limits: { entriesInFlight: number };
}

/** Context of the steps on one issuance, while its lease is held. */
export interface StepContext extends Pick<Leased<'issuance'>, 'owner' | 'signal'> {
  deps: FlowDeps;
  issuance: Leased<'issuance'>['row'];
}

/** Context of a step that calls the service as the issuer. */
export interface IssuerStepContext extends StepContext {
  credentials: Credentials;
}

/** Statuses at which an issuance has ended. */
export const finalStatuses = ['COMPLETED', 'REJECTED', 'CANCELLED'] as const;
/** Whether an issuance with this status is over. */
export const isFinal = (status: IssuanceRow['status']): boolean =>
  (finalStatuses as readonly string[]).includes(status);

/** Pause of unsent work without a known issuer. Another replica may have its key. */
export const missingKeyPauseMs = 15_000;
