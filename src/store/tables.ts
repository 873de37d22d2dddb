import type { Address } from '@srr-gateway/common/address';
import type { ColumnType, Generated, JSONColumnType, Kysely, Selectable } from 'kysely';
import type { Fault } from '../model/errors.ts';
import type { UploadStatus } from '../model/upload-status.ts';

/**
 * Rows of schema `gateway`. Every row belongs to an issuer, directly or through its issuance, but for those of
 * the gateway itself (`chore`, `rate_window`). Whatever serves a caller names the issuer in each query; the worker,
 * the chores, the figures and the operator's commands serve all issuers, and go by the issuer of each row.
 */
export interface Tables {
  issuance: IssuanceTable;
  issuance_batch: IssuanceBatchTable;
  issuance_entry: IssuanceEntryTable;
  issuance_file: IssuanceFileTable;
  issuance_history: IssuanceHistoryTable;
  upload: UploadTable;
  collection_creation: CollectionCreationTable;
  event: EventTable;
  event_head: EventHeadTable;
  chore: ChoreTable;
  access_token: AccessTokenTable;
  rate_window: RateWindowTable;
}

/** A handle on the tables: the pool itself, or one open transaction. Services work on either. */
export type Db = Kysely<Tables>;

type Json<T> = JSONColumnType<NonNullable<T> & object, string, string>;
type NullableJson<T extends object> = ColumnType<T | null, string | null, string | null>;
type CreatedAt = ColumnType<Date, never, never>;
type Timestamp = ColumnType<Date, Date | undefined, Date>;
type NullableTimestamp = ColumnType<Date | null, Date | null, Date | null>;
/** Null when the row is made. */
type LaterTimestamp = ColumnType<Date | null, null | undefined, Date | null>;

export type IssuanceStatus =
  | 'WAITING_FOR_FILES'
  | 'SUBMITTING'
  | 'OUTCOME_UNKNOWN'
  | 'WAITING_FOR_MINING'
  | 'COMPLETED'
  | 'REJECTED'
  | 'CANCELLED';

export type EntryStatus = 'PENDING' | 'WAITING_FOR_MINING' | 'ISSUED' | 'FAILED' | 'CANCELLED';
export type OutcomeSource = 'RESPONSE' | 'WEBHOOK' | 'SUBGRAPH';
export type Batching = 'ALL_OR_NOTHING' | 'BATCHES_OF_250';

/** One `issueSRRs` call, carried from state to state by the worker that holds its lease. */
export interface IssuanceTable {
  id: string;
  issuer: Address;
  request_id: string;
  /** SHA-256 of the canonical input: tells a repeated call from a conflicting one. */
  fingerprint: string;
  batching: Batching;
  /** How many records were asked for. */
  entry_count: number;
  status: IssuanceStatus;
  error: NullableJson<Fault>;
  /** The caller's own upstream key, sealed, when no configured issuer has one; erased at the end. */
  sealed_key: Buffer | null;
  /** When the worker should look at it again; null once it is final. */
  next_at: NullableTimestamp;
  /** Set when something hints at an outcome: the index is asked from then on, without waiting for RECONCILE_AFTER. */
  ask_index_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  /** Consecutive attempts of the present step, for its backoff. */
  attempts: Generated<number>;
  lease_owner: string | null;
  lease_until: NullableTimestamp;
  /** Grows with each visible change, so that a subscriber can tell what it has seen. */
  version: Generated<number>;
  created_at: CreatedAt;
  updated_at: Timestamp;
  completed_at: NullableTimestamp;
  /** Set when what only a running issuance needs was dropped. */
  details_dropped: Generated<boolean>;
}

/**
 * PENDING: never sent. SENDING: about to be, or being sent. UNKNOWN: sent, no usable answer. The rest
 * are the service's definite answers.
 */
export type BatchStatus = 'PENDING' | 'SENDING' | 'UNKNOWN' | 'ACCEPTED' | 'REJECTED';

/** One atomic request to the service. */
export interface IssuanceBatchTable {
  issuance_id: string;
  index: number;
  status: BatchStatus;
  /** Its idempotency key upstream; a new one is taken only when the old one cannot be used any more. */
  request_id: string;
  /** How many times it was sent under that key or an earlier one. */
  sent: Generated<number>;
  /** Set once the service has said that the first key was logged: what the fresh key is for. */
  first_key_logged: Generated<boolean>;
  /** Since then its records may be on chain. */
  first_sent_at: NullableTimestamp;
  /** When it was last sent: a failure that was told before cannot be about what that request led to. */
  last_sent_at: NullableTimestamp;
  /** Until then the index is asked for its failed records: one of them may be minted all the same. */
  watch_until: NullableTimestamp;
}

export interface IssuanceEntryTable {
  issuance_id: string;
  index: number;
  batch: number;
  issuer: Address;
  external_id: string;
  status: EntryStatus;
  outcome_source: OutcomeSource | null;
  /** The element of `payload[]`, as it is sent; empty once the details of its issuance were dropped. */
  payload: Json<Record<string, unknown>>;
  /**
   * What the mutation asked for, in its own names. Null for entries from before it was kept, and once the
   * details of its issuance were dropped.
   */
  input: NullableJson<Record<string, unknown>>;
  token_id: string | null;
  metadata_cid: string | null;
  metadata_url: string | null;
  /** Null: in the registry. */
  collection_address: Address | null;
  error: NullableJson<Fault>;
  /** The height at which the index was first seen to show it, when it was. */
  indexed_at_block: ColumnType<string | null, string | null | undefined, string | null>;
  /** Since when the index shows it no more: a reorganisation took it from the chain. */
  removed_at: NullableTimestamp;
  updated_at: Timestamp;
}

/** A file that an issuance must wait for. */
export interface IssuanceFileTable {
  issuance_id: string;
  category: string;
  filename: string;
  ready: Generated<boolean>;
  /** As the worker last saw it; CALCULATING before its first look. */
  status: Generated<UploadStatus>;
  /** What the service said of it, or why it could not be asked. */
  message: string | null;
  /** Since when it has that status. */
  since: Generated<Date>;
  /** How often in a row it was seen with it, where that decides something. */
  looks: Generated<number>;
}

/** What happened to an issuance, when and why. */
export interface IssuanceHistoryTable {
  id: Generated<string>;
  issuance_id: string;
  status: IssuanceStatus;
  reason: string;
  at: CreatedAt;
}

/** What the gateway knows of a file beyond what the service can be asked. */
export interface UploadTable {
  issuer: Address;
  filename: string;
  category: string;
  content_type: string;
  final_url: string;
  /** `sha256-<hex>` that the caller announced. */
  expected_hash: string | null;
  expected_size: string | null;
  /** Known once the service has calculated them. */
  hash: string | null;
  cid: string | null;
  size: string | null;
  created_at: CreatedAt;
  updated_at: Timestamp;
}

/** What a delivery told of a collection before it could be believed. */
export interface HeldDelivery {
  status: 'ISSUED' | 'FAILED';
  /** It names the creation by its address or its salt. */
  sure: boolean;
  address: Address | null;
  kind: string;
  message: string | null;
  raw: Record<string, unknown>;
}

/**
 * One `createCollection` call, carried from state to state by the worker that holds its lease. PENDING: no answer
 * of the service yet; WAITING_FOR_MINING: accepted; ISSUED: deployed; FAILED: refused, or not deployed.
 */
export interface CollectionCreationTable {
  id: string;
  issuer: Address;
  request_id: string;
  /** SHA-256 of the canonical input; empty for creations from before it was kept. */
  fingerprint: string;
  name: string;
  symbol: string;
  /** 32 bytes in lower-case hex; null for some creations from before it was kept. */
  salt: string | null;
  /** The service tells it. Null until then. */
  address: ColumnType<Address | null, Address | null | undefined, Address | null>;
  status: EntryStatus;
  error: ColumnType<Fault | null, string | null | undefined, string | null>;
  outcome_source: ColumnType<OutcomeSource | null, OutcomeSource | null | undefined, OutcomeSource | null>;
  /** The caller's own upstream key, sealed, when no configured issuer has one; erased at the end. */
  sealed_key: Buffer | null;
  /** How many requests may have reached the service. */
  sent: Generated<number>;
  first_sent_at: LaterTimestamp;
  last_sent_at: LaterTimestamp;
  /** When the last request was sent that has no answer to rely on; null: every request has one. */
  unanswered_at: LaterTimestamp;
  /** Why there is no answer yet. */
  last_fault: ColumnType<Fault | null, string | null | undefined, string | null>;
  held: ColumnType<HeldDelivery | null, string | null | undefined, string | null>;
  /** Set when something hints at an outcome: the index is asked without waiting for RECONCILE_AFTER. */
  ask_index_at: LaterTimestamp;
  /** The only request was refused: the salt may be used again. */
  salt_free: Generated<boolean>;
  /** Until then the index is asked for a collection that failed. */
  watch_until: LaterTimestamp;
  /** Consecutive attempts of the present step, for its backoff. */
  attempts: Generated<number>;
  /** When the worker should look at it again; null: never. */
  next_at: NullableTimestamp;
  lease_owner: ColumnType<string | null, string | null | undefined, string | null>;
  lease_until: LaterTimestamp;
  created_at: CreatedAt;
  updated_at: Timestamp;
  completed_at: LaterTimestamp;
}

export type EventType =
  | 'SRR_ISSUED'
  | 'SRR_FAILED'
  | 'TRANSFER_RESERVED'
  | 'TRANSFER_COMPLETED'
  | 'COLLECTION_CREATED'
  | 'COLLECTION_FAILED'
  | 'UNRECOGNIZED';

/** How an event was learned: by a delivery, from the index, or from the service's answer to a request. */
export type EventSource = 'WEBHOOK' | 'SUBGRAPH' | 'RESPONSE';

export type EventRow = Selectable<EventTable>;

/**
 * One entry of a delivery, or an outcome that the gateway learned otherwise. Rows are added; afterwards only the
 * link to their entry is filled in, and `raw` is dropped in the end.
 */
export interface EventTable {
  issuer: Address;
  /** Position in the issuer's log, handed out in commit order. */
  cursor: string;
  type: EventType;
  /** The service's own name of the kind; `index` or `response` for what no delivery told. */
  kind: string;
  source: EventSource;
  /** What the entry means, hashed: a repeated delivery has the same. */
  dedupe: string;
  external_id: string | null;
  token_id: string | null;
  /** The collection, for events of one and for records in one. */
  collection_address: Address | null;
  message: string | null;
  /** The entry as it came; empty once `raw_dropped`. */
  raw: Json<Record<string, unknown>>;
  received_at: CreatedAt;
  raw_dropped: Generated<boolean>;
  /**
   * Whether subscribers are told. A delivery that says nothing new, or whose time has not come, is kept without
   * being told.
   */
  visible: Generated<boolean>;
  /** The issuer's entry that it is about, when there is one. */
  issuance_id: string | null;
  entry_index: number | null;
}

/** The last cursor of an issuer; its row lock makes cursor order commit order. */
export interface EventHeadTable {
  issuer: Address;
  cursor: string;
}

/** Something done now and then by one replica at a time. */
export interface ChoreTable {
  name: string;
  next_at: Timestamp;
}

/** A token that a caller may send. */
export interface AccessTokenTable {
  id: Generated<string>;
  /** SHA-256 of the token, which nobody else keeps. */
  digest: string;
  issuer: Address;
  scopes: ('read' | 'upload' | 'issue')[];
  /** For people: whose it is. */
  note: string;
  created_at: CreatedAt;
  expires_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
}

/** Requests of one caller in one stretch of time. */
export interface RateWindowTable {
  caller: string;
  starts_at: ColumnType<Date, Date, never>;
  requests: number;
}
