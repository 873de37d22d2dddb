import type { Address } from '@srr-gateway/common/address';
import type { ColumnType, Generated, Kysely } from 'kysely';

/** Rows of schema `sandbox` that the issuance service keeps; the index's own are in `subgraph/`. */
export interface Tables {
  licensed_user: LicensedUserTable;
  stored_file: StoredFileTable;
  published: PublishedTable;
  issue_request: IssueRequestTable;
  srr: SrrTable;
  srr_chip: SrrChipTable;
  collection: CollectionTable;
  delivery: DeliveryTable;
  chain_cursor: ChainCursorTable;
  secret: SecretTable;
  legacy_metadata: LegacyMetadataTable;
  fixture: FixtureTable;
}

export type Db = Kysely<Tables>;

type Int8 = ColumnType<string, string | number | bigint, string | number | bigint>;
type CreatedAt = ColumnType<Date, Date | undefined, never>;

/** Holders of a Licensed User Wallet (LUW), as the service's own directory knows them. */
export interface LicensedUserTable {
  address: Address;
  english_name: string;
  original_name: string;
  user_type: 'handler' | 'artist';
  /** SHA-256 of the API key; null for users who do not issue. */
  api_key_hash: string | null;
  /** The wallet is still on chain, but the service serves it no more. */
  withdrawn: Generated<boolean>;
  /** Null: the settings' number. */
  srr_quota: number | null;
  nfc_allowance: number | null;
}

/** Categories in the order in which the service's messages list them. */
export const categories = [
  'certificate',
  'for_authenticity',
  'artwork',
  'installation',
  'non_attachment_file',
] as const;
export type Category = (typeof categories)[number];

/** An uploaded object; its bytes are the file `<id>` of the storage directory. */
export interface StoredFileTable {
  id: string;
  issuer: Address;
  filename: string;
  category: Category;
  content_type: string;
  size: Int8;
  /** `sha256-<hex>`; null, as the cid, while the calculation runs. */
  hash: string | null;
  cid: string | null;
  uploaded_at: CreatedAt;
}

/** A root that the IPFS gateway serves. */
export interface PublishedTable {
  cid: string;
  content_type: string;
  published_at: CreatedAt;
}

/** The log behind both idempotency rules of `POST /commerce/srrs`. */
export interface IssueRequestTable {
  id: Generated<string>;
  issuer: Address;
  request_id: string | null;
  /** SHA-256 of the payload's canonical JSON. */
  content_hash: string;
  status: 'in_progress' | 'successful' | 'failed';
  created_at: CreatedAt;
}

/**
 * `accepting` rows hold their unique values while the files of their request are published; a request
 * that died leaves none behind. `failed` rows free all of them but the externalId.
 */
export type SrrStatus = 'accepting' | 'waiting_for_mining' | 'issued' | 'failed';

export interface SrrTable {
  id: Generated<string>;
  request: string;
  issuer: Address;
  external_id: string;
  artist: Address;
  /** Null: the registry contract. */
  collection: Address | null;
  token_id: string;
  metadata_cid: string;
  is_primary_issuer: boolean;
  lock_external_transfer: boolean;
  recipient: Address | null;
  royalty_basis_points: number | null;
  status: SrrStatus;
  /** Why mining failed, in the document's words. */
  reason: string | null;
  tx_hash: string | null;
  block_number: ColumnType<string | null, string | number | null | undefined, string | number | null>;
  created_at: CreatedAt;
}

export interface SrrChipTable {
  /** Upper case: the same tag may be written in either. */
  chip: string;
  srr: string;
  issuer: Address;
}

export interface CollectionTable {
  id: Generated<string>;
  address: Address;
  issuer: Address;
  name: string;
  symbol: string;
  salt: string;
  status: 'waiting_for_mining' | 'created' | 'failed';
  reason: string | null;
  tx_hash: string | null;
  block_number: ColumnType<string | null, string | number | null | undefined, string | number | null>;
  created_at: CreatedAt;
  updated_at: ColumnType<Date, Date | undefined, Date>;
}

export const deliveryTypes = [
  'issue_complete',
  'issue_failed',
  'transfer_key',
  'transfer_complete',
  'collection_created',
  'collection_create_failed',
] as const;
export type DeliveryType = (typeof deliveryTypes)[number];

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One webhook POST, until it is answered with 2xx or its attempts are used up. */
export interface DeliveryTable {
  /** Also the `groupId` of its entries. */
  id: string;
  issuer: Address;
  type: DeliveryType;
  /** The JSON text that is sent. */
  body: string;
  status: Generated<DeliveryStatus>;
  attempts: Generated<number>;
  next_attempt_at: ColumnType<Date, Date | undefined, Date>;
  last_status: number | null;
  last_error: string | null;
  /** What became of each attempt, in order. */
  tries: ColumnType<DeliveryTry[], never, string>;
  created_at: CreatedAt;
  settled_at: Date | null;
}

export interface DeliveryTry {
  /** ISO-8601. */
  at: string;
  status: number | null;
  error: string | null;
}

/** How far the chain was read, by whom. */
export interface ChainCursorTable {
  name: string;
  block: Int8;
}

export interface SecretTable {
  name: string;
  value: string;
}

/** Metadata of a record from before 2023, by the digest that the chain has of it. */
export interface LegacyMetadataTable {
  digest: string;
  document: string;
}

/** Seeded worlds that were loaded. */
export interface FixtureTable {
  name: string;
  loaded_at: CreatedAt;
}
