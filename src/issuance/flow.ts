import type { Address } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import type { Selectable } from 'kysely';
import type { Commerce, Credentials } from '../clients/commerce/commerce.ts';
import type { Jobs } from '../store/jobs.ts';
import type { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { IssuanceBatchTable, IssuanceEntryTable, IssuanceTable } from '../store/tables.ts';
import type { CollectionKey, DeployedCollection } from './collections/deployed.ts';
import type { DocumentNames } from './metadata-document.ts';
import type { PreflightSources } from './preflight/sources.ts';

export type IssuanceRow = Selectable<IssuanceTable>;
/** Which issuance, and whose: what serves a caller finds no row by an id alone. */
export type IssuanceKey = Pick<IssuanceRow, 'id' | 'issuer'>;
export type BatchRow = Selectable<IssuanceBatchTable>;
export type EntryRow = Selectable<IssuanceEntryTable>;

/** A record's place on chain; without a contract it is in the registry. */
export interface Token {
  tokenId: string;
  collection: Address | null;
}

export const tokenText = ({ tokenId, collection }: Token): string => `${collection ?? ''}/${tokenId}`;

/** A record on chain, with the document that says what it is. */
export interface MintedRecord extends Token {
  artist: string | null;
  metadataCID: string | null;
  /** Absent when no gateway delivered it. */
  document?: Record<string, unknown> | undefined;
}

/** What the flow works with; wired once, in `app.ts`. */
export interface FlowDeps {
  db: Db;
  jobs: Jobs;
  signals: Signals;
  commerce: Commerce;
  names: DocumentNames;
  /** A record whose collection is the registry itself has none. */
  registryAddress: Address | undefined;
  preflight: PreflightSources;
  log: Logger;
  /** Which of these tokens the index shows as minted, and at which height it was asked. */
  mintedOf(tokens: Token[], signal: AbortSignal): Promise<{ block: number | undefined; minted: Token[] }>;
  /**
   * The issuer's records that were minted since, for those whose ids were lost; and up to which moment of
   * the chain the index knows, when it tells.
   */
  mintedSince(
    issuer: Address,
    since: Date,
    signal: AbortSignal,
  ): Promise<{ minted: MintedRecord[]; indexedUntil: Date | undefined }>;
  /** The issuer's collection of a salt or at an address, as far as the index knows the chain. */
  deployedCollection(key: CollectionKey, signal: AbortSignal): Promise<DeployedCollection>;
  /** Upstream credentials that outlive the request which brought them. */
  keys: {
    /** Null when the issuer's key is configured and need not be stored. */
    seal(credentials: Credentials): Buffer | null;
    open(issuer: Address, sealed: Buffer | null): Credentials | undefined;
  };
  /** Whether no other process can be at work on this store: then every lease is a dead process's. */
  alone: boolean;
  /** Milliseconds. */
  timeouts: {
    filesReady: number;
    reconcileAfter: number;
    drain: number;
    /** How long a caller waits for an answer. */
    request: number;
    /** How long the index is asked for a record or a collection whose end was negative. */
    failureWatch: number;
    /** How long a subscriber waits for the index to show what was issued. */
    indexWait: number;
    /** How long after its outcome a record is looked for on chain again. */
    reorgWatch: number;
    /** How long after its end an issuance keeps what only running ones need. */
    keepDetails: number;
  };
  limits: { entriesInFlight: number };
}

/** One turn of work on one issuance, under its lease. */
export interface Turn {
  deps: FlowDeps;
  issuance: IssuanceRow;
  owner: string;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
}

/** One that speaks to the service in the issuer's name. */
export interface IssuersTurn extends Turn {
  credentials: Credentials;
}

/** What the worker does after a step: `again` at once, look again later, or nothing any more. */
export type Next = 'again' | 'final' | { afterMs: number; attempts?: number };

export const queue = 'issuance';
/** Issuers share a replica's places, so a job says whose it is. */
export const jobOf = ({ id, issuer }: IssuanceKey) => ({ key: id, owner: issuer });

export const finalStatuses = ['COMPLETED', 'REJECTED', 'CANCELLED'] as const;
export const isFinal = (status: IssuanceRow['status']): boolean =>
  (finalStatuses as readonly string[]).includes(status);
