import type { Address } from '@srr-gateway/common/address';
import type { ColumnType, Generated, JSONColumnType, Kysely, Selectable } from 'kysely';
import type { Fault } from '../model/errors.ts';
import type { EventType } from '../model/event-type.ts';
import type { UploadStatus } from '../model/file.ts';
import type { Scope } from '../model/scope.ts';
import type { WebhookAttempt, WebhookDeliveryStatus, WebhookEndpointStatus } from '../model/webhook.ts';

/**
 * Tables of schema `gateway`. Every row belongs to an issuer, directly or through its issuance, except those
 * of `chore`, `rate_window` and `sealing_key`. A query for a caller must name the issuer. Workers, maintenance, metrics
 * and the operator's commands serve all issuers, and use the issuer of each row.
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
  sealing_key: SealingKeyTable;
  webhook_endpoint: WebhookEndpointTable;
  webhook_delivery: WebhookDeliveryTable;
  rate_window: RateWindowTable;
}

/** The tables through the pool or through one open transaction. Services work with either. */
export type Db = Kysely<Tables>;

type Json<T extends object> = JSONColumnType<T, string, string>;
type NullableJson<T extends object> = ColumnType<T | null, string | null, string | null>;
type CreatedAt = ColumnType<Date, never, never>;

/** Status of an issuance. The last three are final. */
export type IssuanceStatus =
  | 'WAITING_FOR_FILES'
  | 'SUBMITTING'
  | 'OUTCOME_UNKNOWN'
  | 'WAITING_FOR_MINING'
  | 'COMPLETED'
  | 'REJECTED'
  | 'CANCELLED';

/** Status of an entry, or of the creation of a collection. */
export type EntryStatus = 'PENDING' | 'WAITING_FOR_MINING' | 'ISSUED' | 'FAILED' | 'CANCELLED';
/** Source of an outcome: the service's response, a delivery, or the subgraph. */
export type OutcomeSource = 'RESPONSE' | 'WEBHOOK' | 'SUBGRAPH';
/** How entries are grouped into requests. Each request is atomic. */
export type Batching = 'ALL_OR_NOTHING' | 'BATCHES_OF_250';

/** One `issueSRRs` call. The worker that holds its lease moves it from state to state. */
export interface IssuanceTable {
  id: string;
  issuer: Address;
  request_id: string;
  /** SHA-256 of the canonical input. It distinguishes a repeated call from a conflicting one. */
  fingerprint: string;
  batching: Batching;
  entry_count: number;
  status: IssuanceStatus;
  error: NullableJson<Fault>;
  /** The caller's own upstream key, sealed, when no configured issuer has one; erased at the end. */
  sealed_key: Buffer | null;
  /** When it is due for the worker; null once it is final. */
  next_at: Date | null;
  /**
   * Set when a delivery hints at an outcome: the worker asks the subgraph without waiting for
   * RECONCILE_AFTER.
   */
  ask_index_at: Date | null;
  /** Consecutive attempts of the current step, for its backoff. */
  attempts: Generated<number>;
  lease_owner: string | null;
  lease_until: Date | null;
  /** Grows with each visible change, so that a subscription knows which state it has sent. */
  version: Generated<number>;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
  completed_at: Date | null;
  /** Set once the data that only a running issuance needs was dropped. */
  details_dropped: Generated<boolean>;
}

/**
 * PENDING: never sent. SENDING: about to be sent, or being sent. UNKNOWN: sent, but no usable answer came.
 * ACCEPTED and REJECTED: definite answers of the service.
 */
export type BatchStatus = 'PENDING' | 'SENDING' | 'UNKNOWN' | 'ACCEPTED' | 'REJECTED';

/** One batch: a request to the service that succeeds or fails as a whole. */
export interface IssuanceBatchTable {
  issuance_id: string;
  index: number;
  status: BatchStatus;
  /** The idempotency key at the service. Replaced only when the service will not take it any more. */
  request_id: string;
  /** How often the batch was sent, under this key or an earlier one. */
  sent: Generated<number>;
  /** The earliest time at which its records may be on chain. */
  first_sent_at: Date | null;
  /** When it was last sent. A failure reported earlier cannot be about this request. */
  last_sent_at: Date | null;
  /** The subgraph is asked for failed records until this time: one may have been minted after all. */
  watch_until: Date | null;
}

/** One record of an issuance, from input to outcome. */
export interface IssuanceEntryTable {
  issuance_id: string;
  index: number;
  batch: number;
  issuer: Address;
  external_id: string;
  status: EntryStatus;
  outcome_source: OutcomeSource | null;
  /** The element of `payload[]` as it is sent. Empty once the details of the issuance were dropped. */
  payload: Json<Record<string, unknown>>;
  /**
   * The entry as the caller sent it. Null for entries from before this column, and once the details of the
   * issuance were dropped.
   */
  input: NullableJson<Record<string, unknown>>;
  token_id: string | null;
  metadata_cid: string | null;
  metadata_url: string | null;
  /** Null for a record of the registry. */
  collection_address: Address | null;
  error: NullableJson<Fault>;
  /** The block at which the subgraph first showed the record; null if it has not. */
  indexed_at_block: string | null;
  /** When the subgraph stopped showing the record: a reorganisation removed it from the chain. */
  removed_at: Date | null;
  updated_at: Generated<Date>;
}

/** A file that an issuance must wait for. */
export interface IssuanceFileTable {
  issuance_id: string;
  category: string;
  filename: string;
  ready: Generated<boolean>;
  /** The last state from the service; CALCULATING before the first check. */
  status: Generated<UploadStatus>;
  /** The service's message about the file, or why it could not be asked. */
  message: string | null;
  /** When the file got this status. */
  since: Generated<Date>;
  /** How often in a row it was seen with this status. Counted for AWAITING_BYTES and FAILED only. */
  looks: Generated<number>;
}

/** One status change of an issuance, with its reason. */
export interface IssuanceHistoryTable {
  id: Generated<string>;
  issuance_id: string;
  status: IssuanceStatus;
  reason: string;
  at: CreatedAt;
}

/** A file for which the gateway signed an upload. The service cannot list files. */
export interface UploadTable {
  issuer: Address;
  filename: string;
  category: string;
  content_type: string;
  final_url: string;
  /** The hash that the caller announced, as `sha256-<hex>`. */
  expected_hash: string | null;
  expected_size: string | null;
  /** Null until the service has calculated hash and CID. */
  hash: string | null;
  cid: string | null;
  size: string | null;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
}

/** A delivery about a collection that has no effect until it is proved. */
export interface HeldDelivery {
  status: 'ISSUED' | 'FAILED';
  /** Whether the delivery identifies the creation by address or salt. */
  sure: boolean;
  address: Address | null;
  kind: string;
  message: string | null;
  raw: Record<string, unknown>;
}

/**
 * One `createCollection` call. The worker that holds its lease moves it from state to state. PENDING: no
 * response of the service yet. WAITING_FOR_MINING: accepted. ISSUED: deployed. FAILED: refused, or not
 * deployed.
 */
export interface CollectionCreationTable {
  id: string;
  issuer: Address;
  request_id: string;
  /** SHA-256 of the canonical input; empty for creations from before this column. */
  fingerprint: string;
  name: string;
  symbol: string;
  /** 32 bytes in lower-case hex; null for some creations from before this column. */
  salt: string | null;
  /** Null until the service gives it. */
  address: Address | null;
  status: EntryStatus;
  error: NullableJson<Fault>;
  outcome_source: OutcomeSource | null;
  /** The caller's own upstream key, sealed, when no configured issuer has one; erased at the end. */
  sealed_key: Buffer | null;
  /** The number of requests that may have reached the service. */
  sent: Generated<number>;
  first_sent_at: Date | null;
  last_sent_at: Date | null;
  /** When the last request without a usable response was sent; null when all have one. */
  unanswered_at: Date | null;
  /** Why there is no usable response yet. */
  last_fault: NullableJson<Fault>;
  held: NullableJson<HeldDelivery>;
  /**
   * Set when a delivery hints at an outcome: the worker asks the subgraph without waiting for
   * RECONCILE_AFTER.
   */
  ask_index_at: Date | null;
  /** Set when the only request was refused, so that the salt may be used again. */
  salt_free: Generated<boolean>;
  /** The subgraph is asked for a failed collection until this time: it may be deployed after all. */
  watch_until: Date | null;
  /** Consecutive attempts of the current step, for its backoff. */
  attempts: Generated<number>;
  /** When it is due for the worker; null: never. */
  next_at: Date | null;
  lease_owner: string | null;
  lease_until: Date | null;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
  completed_at: Date | null;
}

/**
 * Source of an event: a delivery, the subgraph, or the service's response to a request. GATEWAY: an act of the
 * gateway itself.
 */
export type EventSource = 'WEBHOOK' | 'SUBGRAPH' | 'RESPONSE' | 'GATEWAY';

export type EventRow = Selectable<EventTable>;

/**
 * One item of a delivery, or an outcome from another source. A row changes in two ways only: the link to its
 * entry is filled in, and `raw` is dropped after its retention.
 */
export interface EventTable {
  issuer: Address;
  /** The position in the issuer's log, in the order of commits. */
  cursor: string;
  type: EventType;
  /**
   * The type of the delivery in the service's words, from which `type` follows. Without a delivery: `index` (the
   * subgraph), `response`, or `gateway` for what the gateway does itself.
   */
  kind: string;
  source: EventSource;
  /** Hash of the item's content, the same for a repeated delivery. */
  dedupe: string;
  external_id: string | null;
  token_id: string | null;
  /** The collection that the event is about, or that its record is in. */
  collection_address: Address | null;
  message: string | null;
  /** The item as it was received. That of a delivery is empty once `raw_dropped`. */
  raw: Json<Record<string, unknown>>;
  received_at: CreatedAt;
  raw_dropped: Generated<boolean>;
  /** Whether subscribers get it. They do not get a delivery that is not new, or that came too early. */
  visible: Generated<boolean>;
  /** The issuance that the event is about; null when there is none. */
  issuance_id: string | null;
  /** The entry of it; null when the event is about all of it. */
  entry_index: number | null;
}

/** The last cursor of an issuer's log. Its row lock makes cursors follow the order of commits. */
export interface EventHeadTable {
  issuer: Address;
  cursor: string;
}

/** A periodic maintenance task, which one replica at a time runs. */
export interface ChoreTable {
  name: string;
  next_at: Generated<Date>;
}

export interface AccessTokenTable {
  id: Generated<string>;
  /** SHA-256 of the token. The token itself is not stored. */
  digest: string;
  issuer: Address;
  scopes: Scope[];
  /** Whose token it is, in the operator's words. */
  note: string;
  created_at: CreatedAt;
  expires_at: Date | null;
  revoked_at: Date | null;
}

/** A key that encrypts secrets in this database. The key itself is not stored. */
export interface SealingKeyTable {
  fingerprint: string;
  first_used_at: CreatedAt;
}

/**
 * A partner's address, to which the issuer's events are sent in the order of the log. Only the worker that holds
 * the lease sends to it.
 */
export interface WebhookEndpointTable {
  id: string;
  issuer: Address;
  url: string;
  /** Null: every type, including those of later releases. */
  types: EventType[] | null;
  description: string | null;
  /** Whether it comes from the configuration. Its secrets are there, and the API cannot change it. */
  configured: Generated<boolean>;
  /** When it was last in the configuration of a replica. */
  configured_at: Date | null;
  status: Generated<WebhookEndpointStatus>;
  sealed_secret: Buffer | null;
  /** The secret before the last change. Deliveries are signed with it too until `previous_until`. */
  sealed_previous: Buffer | null;
  previous_until: Date | null;
  /** The position in the issuer's log up to which every event was sent, or has a delivery that is due later. */
  cursor: string;
  /** Set when the log grows; the worker clears it before it reads the log. */
  has_more: Generated<boolean>;
  /** The first failure since the last delivery that was accepted. */
  failing_since: Date | null;
  /** Consecutive failures, for the pause before the next attempt. */
  attempts: Generated<number>;
  next_at: Date | null;
  lease_owner: string | null;
  lease_until: Date | null;
  created_at: CreatedAt;
}

/** One event as it was sent to one endpoint, or a test. */
export interface WebhookDeliveryTable {
  id: string;
  endpoint_id: string;
  /** The event's position in the log; null for a test. */
  cursor: string | null;
  type: string;
  status: WebhookDeliveryStatus;
  /** The latest attempts, oldest first. */
  attempts: Json<WebhookAttempt[]>;
  attempt_count: Generated<number>;
  /** When its retries began: WEBHOOK_RETRY_FOR counts from here. */
  first_at: Generated<Date>;
  /** When it is retried on its own schedule, apart from the log's order. */
  next_at: Date | null;
  created_at: CreatedAt;
  delivered_at: Date | null;
}

/** The number of requests of one caller in one window of the rate limiter. */
export interface RateWindowTable {
  caller: string;
  starts_at: ColumnType<Date, Date, never>;
  requests: number;
}
