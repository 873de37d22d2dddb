import type { Address } from '@srr-gateway/common/address';
import type { ColumnType, Generated, Kysely } from 'kysely';

/** Tables of the issuance service in schema `sandbox`; those of the subgraph are in `subgraph/`. */
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

/** Holders of a Licensed User Wallet (LUW): the service's own directory. */
interface LicensedUserTable {
  address: Address;
  english_name: string;
  original_name: string;
  user_type: 'handler' | 'artist';
  /** SHA-256 of the API key; null for users who do not issue. */
  api_key_hash: string | null;
  /** True: the wallet is still on chain, but the service no longer serves it. */
  withdrawn: Generated<boolean>;
  /** Null: the number in the settings applies. */
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

/** An uploaded object; its bytes are in file `<id>` of the storage directory. */
export interface StoredFileTable {
  id: string;
  issuer: Address;
  filename: string;
  category: Category;
  content_type: string;
  size: Int8;
  /** `sha256-<hex>`; null, like `cid`, until it is calculated. */
  hash: string | null;
  cid: string | null;
  uploaded_at: CreatedAt;
}

/** A root CID that the IPFS gateway serves. */
interface PublishedTable {
  cid: string;
  content_type: string;
  published_at: CreatedAt;
}

/** The log behind both idempotency rules of `POST /commerce/srrs`. */
interface IssueRequestTable {
  id: Generated<string>;
  issuer: Address;
  request_id: string | null;
  /** SHA-256 of the payload's canonical JSON. */
  content_hash: string;
  status: 'in_progress' | 'successful' | 'failed';
  created_at: CreatedAt;
}

/**
 * `accepting` rows reserve their unique values while the files of their request are published; those of a
 * request that died are removed. `failed` rows free their unique values, except the externalId.
 */
type SrrStatus = 'accepting' | 'waiting_for_mining' | 'issued' | 'failed';

/** One entry of an issue request: a record that is or was to be issued. */
export interface SrrTable {
  id: Generated<string>;
  request: string;
  issuer: Address;
  external_id: string;
  artist: Address;
  /** Null: the record is in the registry contract. */
  collection: Address | null;
  token_id: string;
  metadata_cid: string;
  is_primary_issuer: boolean;
  lock_external_transfer: boolean;
  recipient: Address | null;
  royalty_basis_points: number | null;
  status: SrrStatus;
  /** Why the issuance failed, as the webhook reports it; null unless `failed`. */
  reason: string | null;
  tx_hash: string | null;
  block_number: ColumnType<string | null, string | number | null | undefined, string | number | null>;
  created_at: CreatedAt;
}

/** An NFC chip of a record; each chip is used once. */
interface SrrChipTable {
  /** In upper case: clients may write the same tag in either case. */
  chip: string;
  srr: string;
  issuer: Address;
}

/** A collection that was requested; `address` is known before it is mined. */
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
type DeliveryStatus = (typeof deliveryStatuses)[number];

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
  /** The result of each attempt, in order. */
  tries: ColumnType<DeliveryTry[], never, string>;
  created_at: CreatedAt;
  settled_at: Date | null;
}

/** One attempt of a delivery; `status` is null when no answer came, `error` when one did. */
interface DeliveryTry {
  /** ISO-8601. */
  at: string;
  status: number | null;
  error: string | null;
}

/** The last block that each named reader of the chain has read. */
interface ChainCursorTable {
  name: string;
  block: Int8;
}

/** Random secrets, in base64. */
interface SecretTable {
  name: string;
  value: string;
}

/** Metadata of a record from before 2023, by the digest that is on the chain. */
interface LegacyMetadataTable {
  digest: string;
  document: string;
}

/** The seeded worlds that are loaded already. */
interface FixtureTable {
  name: string;
  loaded_at: CreatedAt;
}
