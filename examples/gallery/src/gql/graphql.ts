/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** An uploaded file that belongs to the record. The issuance service writes its hash into the metadata document. */
export type AttachmentInput = {
  /** The category that the file was uploaded under. NON_ATTACHMENT_FILE is refused. */
  category: FileCategory;
  /** The uploaded file. */
  file: FileRefInput;
  /** The filename for downloads, with the extension of the file. */
  name: string;
};

/** The terms of the contract that comes with the record. */
export type ContractTermsInput = {
  /** A public file with the text of the terms. */
  file?: FileRefInput | null | undefined;
  /** The royalty on a resale, in percent from 0 to 100. */
  royaltyRate?: number | null | undefined;
};

/** The edition of the work: which copy of how many. */
export type EditionInput = {
  /** A free-text note on the edition, by language. */
  note?: Record<string, string> | null | undefined;
  /** The number of this copy within the edition. */
  number?: number | null | undefined;
  /** The type of proof as the metadata schema defines it, such as "ED". */
  proofType?: string | null | undefined;
  /** The total number of copies in the edition. */
  totalNumber?: number | null | undefined;
  /** The uniqueness of the work as the metadata schema defines it, such as "unique work". */
  uniqueness?: string | null | undefined;
};

/** The status of an issuance entry or of a collection creation. */
export type EntryStatus =
  /** It was never sent: the issuance was cancelled, or rejected first, as Issuance.error says. */
  | 'CANCELLED'
  /** It was refused, or was accepted but not mined; error says which. It becomes ISSUED if it is on chain after all. */
  | 'FAILED'
  /** It was minted or deployed. This status is final. */
  | 'ISSUED'
  /** It has not been sent to the issuance service, or the service has not answered yet. */
  | 'PENDING'
  /** The issuance service has accepted it, and its transaction is not mined yet. */
  | 'WAITING_FOR_MINING';

/** The code of an error. There is one for each row of the issuance service’s error tables, and the gateway has its own. */
export type ErrorCode =
  /** An address is malformed, or is the zero address. */
  | 'ADDRESS_INVALID'
  /** The issuer or artist is not a licensed user. */
  | 'ADDRESS_NOT_FOUND'
  /** An attachment was never uploaded. */
  | 'ATTACHMENT_NOT_FOUND'
  /** The hash of an attachment is still being calculated. */
  | 'ATTACHMENT_NOT_READY'
  /** The file category does not exist, or is not allowed at this place. */
  | 'CATEGORY_INVALID'
  /** The bytes or their Content-Type are not the ones that were announced. */
  | 'CONTENT_MISMATCH'
  /** The block at which this list was read is gone: the subgraph pruned it, or the chain was reorganised. The error’s extensions have continueAfter, a cursor after the same item at the newest block. */
  | 'CURSOR_EXPIRED'
  /** A chip UID belongs to another record already, or occurs in two entries of the request. */
  | 'DUPLICATE_CHIP'
  /** The externalId was used before, or occurs twice in the request. */
  | 'DUPLICATE_EXTERNAL_ID'
  /** A record with the same metadata and artist exists already, or occurs twice in the request. */
  | 'DUPLICATE_METADATA'
  /** The issuance service is processing or has processed an identical request. */
  | 'DUPLICATE_REQUEST_CONTENT'
  /** The issuance service already has this requestId on record. */
  | 'DUPLICATE_REQUEST_ID'
  /** An externalId is empty or not text. */
  | 'EXTERNAL_ID_INVALID'
  /** A filename has no extension. */
  | 'FILENAME_EXTENSION_MISSING'
  /** A filename contains a space. */
  | 'FILENAME_HAS_SPACE'
  /** A filename is in use already, and its content cannot change. Each issuer can use a name once. */
  | 'FILENAME_TAKEN'
  /** The issuance service does not have a file, because it was never uploaded. */
  | 'FILE_NOT_FOUND'
  /** The metadata names a file of a private category. */
  | 'FILE_NOT_PUBLIC'
  /** A file has no hash or CID: they are still being calculated, or could not be. */
  | 'FILE_NOT_READY'
  /** A file is too large. Files must be smaller than 2^31 bytes. */
  | 'FILE_TOO_LARGE'
  /** A file address is neither a finalUrl of the issuance service nor an ipfs:// address. */
  | 'FILE_URL_NOT_ALLOWED'
  /** The credentials are valid, but their scopes do not cover this, or the issuance service or its storage refuses access. */
  | 'FORBIDDEN'
  /** The requestId was used before with other content. Nothing was done. */
  | 'IDEMPOTENCY_CONFLICT'
  /** A chip UID is malformed or not accepted. */
  | 'INVALID_CHIP'
  /** A value of the input is not valid. The path says where. */
  | 'INVALID_INPUT'
  /** The issuance service could not upgrade the metadata to the current schema. */
  | 'METADATA_CONVERSION_FAILED'
  /** The metadata does not fit its schema version. */
  | 'METADATA_INVALID'
  /** An entry has no metadata. */
  | 'METADATA_MISSING'
  /** The record or collection was accepted, but its transaction could not be mined. */
  | 'MINING_FAILED'
  /** The chip UIDs of the request exceed the issuer’s NFC-tag allowance. */
  | 'NFC_ALLOWANCE_EXCEEDED'
  /** The object does not exist, or it belongs to another issuer. */
  | 'NOT_FOUND'
  /** The issuer’s issuance quota is used up. */
  | 'QUOTA_EXCEEDED'
  /** There are too many requests, or too many records under way. Try again later. */
  | 'RATE_LIMITED'
  /** The issuance service reports that one of its own steps failed. upstreamMessage has its text. */
  | 'SERVICE_ERROR'
  /** The record was not created, usually because another entry of the same atomic request failed. */
  | 'SRR_NOT_CREATED'
  /** A subscription was too slow and was ended. Subscribe again with the cursor in the error’s extensions as after. */
  | 'SUBSCRIBER_LAGGED'
  /** The request has no credentials, or its credentials are not valid. */
  | 'UNAUTHENTICATED'
  /** The artistAddress is not the wallet address of a licensed user. */
  | 'UNKNOWN_ARTIST'
  /** The failure is not classified. If it is the issuance service’s, upstreamMessage has its text; if it is the gateway’s own, the gateway’s log has its errorId. */
  | 'UNKNOWN_ERROR'
  /** A system behind the gateway gave an answer that cannot be used. */
  | 'UPSTREAM_BAD_RESPONSE'
  /** A system behind the gateway did not answer in time. Try again. */
  | 'UPSTREAM_TIMEOUT'
  /** A system behind the gateway cannot be reached. Try again. */
  | 'UPSTREAM_UNAVAILABLE';

/** The purpose of a file. It decides whether the stored copy is public, and where the file may be used. Issuing publishes every file that an entry names to IPFS, private ones too: whoever knows the CID can then read it. */
export type FileCategory =
  /** A public file that is a digital component of the work itself. Its hash goes into digitalComponents. */
  | 'ARTWORK'
  /** A private certificate document. */
  | 'CERTIFICATE'
  /** A private file that is evidence of authenticity. */
  | 'FOR_AUTHENTICITY'
  /** A private file with installation instructions or records. */
  | 'INSTALLATION'
  /** A public file for thumbnail, image or contract terms. It cannot be an attachment. */
  | 'NON_ATTACHMENT_FILE';

/** An uploaded file, named by filename and category. */
export type FileKeyInput = {
  /** The category that the file was uploaded under. */
  category: FileCategory;
  /** The filename that the file was uploaded with. */
  filename: string;
};

/** A reference to a file, given in exactly one of these ways. */
export type FileRefInput =
  {   /** The filename and category of an uploaded file. */
  file: FileKeyInput; finalUrl?: never; ipfs?: never; upload?: never; }
  |  { file?: never;   /** The permanent address of an uploaded file (Upload.finalUrl). */
  finalUrl: string; ipfs?: never; upload?: never; }
  |  { file?: never; finalUrl?: never;   /** An address of the form ipfs://<cid>, for content that is on IPFS already. Not allowed for attachments. */
  ipfs: string; upload?: never; }
  |  { file?: never; finalUrl?: never; ipfs?: never;   /** The global id of an Upload. */
  upload: string; };

/** Whether the subgraph has a record. */
export type Indexing =
  /** The subgraph has the record. */
  | 'INDEXED'
  /** The subgraph does not have the record, or not yet. */
  | 'NOT_YET_INDEXED'
  /** The subgraph could not be read; the error beside the data says why. */
  | 'UNAVAILABLE';

/** The status of an issuance. COMPLETED, REJECTED and CANCELLED are final. */
export type IssuanceStatus =
  /** The issuer cancelled the issuance before it was sent. */
  | 'CANCELLED'
  /** Every record has its outcome: issued or failed. */
  | 'COMPLETED'
  /** The issuance was sent but its answer was lost. The gateway is finding out whether it was accepted. */
  | 'OUTCOME_UNKNOWN'
  /** The issuance was refused, or ended before it was sent, and nothing was issued; the errors say why. It becomes COMPLETED if the subgraph shows one of its records after all. */
  | 'REJECTED'
  /** The gateway is sending the issuance to the issuance service. */
  | 'SUBMITTING'
  /** The gateway waits until every file has its hash and CID. The issuance can still be cancelled. */
  | 'WAITING_FOR_FILES'
  /** The issuance service has accepted it. The outcome of each record depends on the chain. */
  | 'WAITING_FOR_MINING';

/** One record to issue. */
export type IssueEntryInput = {
  /** The wallet address of the artist, who must be a licensed user. */
  artistAddress: string;
  /** The uploaded files that belong to the record. */
  attachments?: Array<AttachmentInput> | null | undefined;
  /** The contract address of a collection of the issuer to mint into. The record goes to the registry when this is absent. */
  collectionAddress?: string | null | undefined;
  /** The issuer’s own reference of the record; a UUID is a good choice. It must not have been used before, unless that entry was refused. */
  externalId: string;
  /** Whether the issuer is the primary issuer of the work. */
  isPrimaryIssuer: boolean;
  /** Whether to forbid transfers by the standard ERC-721 methods, which marketplaces use. */
  lockExternalTransfer: boolean;
  /** The metadata as typed fields. Give exactly one of metadata and metadataJson. */
  metadata?: SRRMetadataInput | null | undefined;
  /** The metadata document as JSON, with files as finalUrl or ipfs:// addresses. Give exactly one of metadata and metadataJson. */
  metadataJson?: unknown;
  /** The address that gets the record after minting. The issuer keeps it when this is absent. */
  to?: string | null | undefined;
};

/** The kinds of licensed users. */
export type LicensedUserKind =
  /** An artist. */
  | 'ARTIST'
  /** A gallery or another dealer, who issues records. */
  | 'HANDLER';

/** Whether a metadata document is available, and if not, why. */
export type MetadataStatus =
  /** The sources refuse to serve the document, or lead to an address that the gateway does not follow, or the CID has a hash function that it does not know. */
  | 'BLOCKED'
  /** The bytes that an IPFS gateway served do not match the CID. They are not shown. */
  | 'HASH_MISMATCH'
  /** The document is available but is not a JSON object. */
  | 'INVALID_JSON'
  /** No source has the document, or the CID names a directory. */
  | 'NOT_FOUND'
  /** No document is known yet: neither the subgraph nor the issuance service’s answer names one. */
  | 'PENDING'
  /** No source delivered the document in time. Fresh content can take a while on IPFS. */
  | 'TIMEOUT'
  /** The document is larger than the gateway accepts. */
  | 'TOO_LARGE'
  /** The source that would have the document, or would name it, cannot be reached. */
  | 'UNAVAILABLE'
  /** The document is available but cannot be verified: it is from before 2023, and how its hash was calculated is not known. */
  | 'UNVERIFIED'
  /** The document is available, and its bytes match its CID, or the hash on chain for records from before 2023. */
  | 'VERIFIED';

/** Conditions on records. A record must meet all that are given; null counts as not given. */
export type SRRFilter = {
  /** Records by the artist with this wallet address, who need not be a licensed user. */
  artist?: string | null | undefined;
  /** Records whose artist is a licensed user with this text in the English or original name, ignoring the case of the letters A to Z. */
  artistNameContains?: string | null | undefined;
  /** Records by one of the artists with these wallet addresses. */
  artists?: Array<string> | null | undefined;
  /** Records in the collection at this contract address. The registry’s address selects records without a collection. */
  collection?: string | null | undefined;
  /** Records in one of the collections at these contract addresses. The registry’s address stands for records without a collection. */
  collections?: Array<string> | null | undefined;
  /** Records minted after this time. */
  createdAfter?: string | null | undefined;
  /** Records minted before this time. */
  createdBefore?: string | null | undefined;
  /** Records in the registry (true), or in any collection (false). */
  inRegistry?: boolean | null | undefined;
  /** Records whose issuer is the primary issuer (true), or is not (false). */
  isPrimaryIssuer?: boolean | null | undefined;
  /** Records issued by the licensed user with this wallet address. */
  issuer?: string | null | undefined;
  /** Records issued by one of the licensed users with these wallet addresses. */
  issuers?: Array<string> | null | undefined;
  /** Records whose transfer by the standard ERC-721 methods is forbidden (true), or allowed (false). */
  lockExternalTransfer?: boolean | null | undefined;
  /** Records whose current metadata document has one of these CIDs. */
  metadataCIDs?: Array<string> | null | undefined;
  /** Records that also meet at least one of these filters. */
  or?: Array<SRRFilter> | null | undefined;
  /** Records owned by this address. */
  owner?: string | null | undefined;
  /** Records owned by one of these addresses. */
  owners?: Array<string> | null | undefined;
  /** Records with one of these token ids. */
  tokenIds?: Array<string> | null | undefined;
  /** Records that changed after this time. A change of the transfer lock does not count, as for SRR.updatedAt. */
  updatedAfter?: string | null | undefined;
  /** Records that last changed before this time. */
  updatedBefore?: string | null | undefined;
};

/** The metadata document of a record, as typed fields. The document becomes public on IPFS and cannot be changed. */
export type SRRMetadataInput = {
  /** The UIDs of the record’s NFC tags. The gateway fills the deprecated alias field with the same values. */
  chipUIDs?: Array<string> | null | undefined;
  /** The royalty and the terms of the contract that comes with the record. */
  contractTerms?: ContractTermsInput | null | undefined;
  /** A description of the record for marketplaces. */
  description?: string | null | undefined;
  /** The edition of the work: which copy of how many. */
  edition?: EditionInput | null | undefined;
  /** The address of a page about the work. It may be on any host; the page is never uploaded. */
  externalUrl?: string | null | undefined;
  /** The picture of the work, as a public file. */
  image: FileRefInput;
  /** Whether the work is digital. If true, the entry needs an attachment of category ARTWORK. */
  isDigital?: boolean | null | undefined;
  /** The medium of the work (what it is made of), by language. */
  medium: Record<string, string>;
  /** The name of the record, shown by wallets and marketplaces. */
  name: string;
  /** A free-text note on the work, by language. */
  note?: Record<string, string> | null | undefined;
  /** The version of the metadata schema: 2.0, 2.1, 2.2, or a later one that the issuance service has. */
  schemaVersion?: string | null | undefined;
  /** The size of the work. */
  size?: SizeInput | null | undefined;
  /** A small picture of the work, as a public file. */
  thumbnail: FileRefInput;
  /** The title of the work, by language. */
  title: Record<string, string>;
  /** The year of creation, by language: free text, so it may be a range. */
  yearOfCreation: Record<string, string>;
};

/** The order of a list of records. Records with equal values are ordered by their id in the subgraph. */
export type SRROrder =
  /** By the time of minting, oldest first. */
  | 'CREATED_AT_ASC'
  /** By the time of minting, newest first. */
  | 'CREATED_AT_DESC'
  /** By token id as text, as the subgraph stores it: "10" comes before "9". Ids of equal length are in numeric order. */
  | 'TOKEN_ID_ASC'
  /** By token id as text, in reverse: "9" comes before "10". */
  | 'TOKEN_ID_DESC'
  /** By the time of the last change, longest unchanged first. */
  | 'UPDATED_AT_ASC'
  /** By the time of the last change, last changed first. */
  | 'UPDATED_AT_DESC';

/** The size of the work. */
export type SizeInput = {
  /** The depth, as a number of `unit`. */
  depth?: number | null | undefined;
  /** A description of the size in words, by language, for works that numbers do not fit. */
  flexibleDescription?: Record<string, string> | null | undefined;
  /** The height, as a number of `unit`. */
  height?: number | null | undefined;
  /** The unit of the numbers: mm, cm, m, in, ft or pixel. */
  unit?: string | null | undefined;
  /** The width, as a number of `unit`. */
  width?: number | null | undefined;
};

export type PicturedFragment = { small: string, large: string };

export type CardFragment = { id: string, tokenId: string, contractAddress: string | null, indexing: Indexing, metadataStatus: MetadataStatus, artist: { id: string, englishName: string, originalName: string } | null, metadata: { id: string, title: { text: string, language: string | null } | null, yearOfCreation: { text: string } | null, thumbnail: { small: string, large: string } | null } | null };

export type GalleryQueryVariables = Exact<{
  languages?: Array<string> | string | null | undefined;
  where?: SRRFilter | null | undefined;
  orderBy?: SRROrder | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type GalleryQuery = { srrs: { edges: Array<{ cursor: string, node: { id: string, tokenId: string, contractAddress: string | null, indexing: Indexing, metadataStatus: MetadataStatus, artist: { id: string, englishName: string, originalName: string } | null, metadata: { id: string, title: { text: string, language: string | null } | null, yearOfCreation: { text: string } | null, thumbnail: { small: string, large: string } | null } | null } | null } | null> | null, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type ChoicesQuery = { licensedUsers: { edges: Array<{ node: { id: string, address: string, kind: LicensedUserKind | null, englishName: string, originalName: string } | null } | null> | null }, collections: { edges: Array<{ node: { id: string, address: string, name: string } | null } | null> | null } };

export type CheckQueryVariables = Exact<{
  entries: Array<IssueEntryInput> | IssueEntryInput;
}>;


export type CheckQuery = { validateSRRs: { userErrors: Array<{ code: ErrorCode, message: string, path: Array<string> | null }> } };

export type EntryStateFragment = { id: string, externalId: string, status: EntryStatus, input: unknown, srr: { indexing: Indexing, metadataStatus: MetadataStatus, id: string, tokenId: string, contractAddress: string | null, metadata: { id: string, title: { text: string, language: string | null } | null, image: { small: string, large: string } | null } | null } | null, error: { code: ErrorCode, message: string, path: Array<string> | null } | null };

export type IssuedQueryVariables = Exact<{
  requestId: string;
  languages?: Array<string> | string | null | undefined;
}>;


export type IssuedQuery = { issuance: { id: string, status: IssuanceStatus, entries: { edges: Array<{ node: { id: string, externalId: string, status: EntryStatus, input: unknown, srr: { indexing: Indexing, metadataStatus: MetadataStatus, id: string, tokenId: string, contractAddress: string | null, metadata: { id: string, title: { text: string, language: string | null } | null, image: { small: string, large: string } | null } | null } | null, error: { code: ErrorCode, message: string, path: Array<string> | null } | null } | null } | null> | null } } | null };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { issuer: string, licensedUser: { id: string, englishName: string, originalName: string, collections: { edges: Array<{ node: { id: string, address: string, name: string } | null } | null> | null } | null } | null } | null };

export type UploadedFileQueryVariables = Exact<{
  id: string;
}>;


export type UploadedFileQuery = { node:
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { downloadUrl: string | null, id: string }
    | { id: string }
   | null };

export type FactsFragment = { id: string, isDigital: boolean | null, title: { text: string, language: string | null } | null, yearOfCreation: { text: string, language: string | null } | null, medium: { text: string, language: string | null } | null, note: { text: string, language: string | null } | null, size: { width: number | null, height: number | null, depth: number | null, unit: string | null, flexibleDescription: { text: string, language: string | null } | null } | null, edition: { number: number | null, totalNumber: number | null, note: { text: string, language: string | null } | null } | null, image: { url: string, cid: string | null, small: string, large: string } | null, thumbnail: { url: string, cid: string | null } | null, contractTerms: { royaltyRate: number | null, file: { url: string, cid: string | null } | null } | null, attachmentFiles: Array<{ hash: string, category: string, url: string | null }> | null, digitalComponents: Array<{ hash: string, category: string, url: string | null }> | null };

export type ChainFragment = { indexedAtBlock: string | null, originTxHash: string | null, originChain: string | null, owner: string | null, createdAt: string | null, lockExternalTransfer: boolean | null, issuer: { id: string, englishName: string, originalName: string } | null, collection: { id: string, name: string, address: string } | null, royalty: { percent: number, receiver: string } | null, provenance: { edges: Array<{ node: { id: string, to: string, timestamp: string, customHistory: { id: string, name: string, type: string } | null } | null } | null> | null } | null, metadataHistory: { edges: Array<{ node: { id: string, createdAt: string, metadataDigest: string, metadata: { id: string, title: { text: string, language: string | null } | null } | null } | null } | null> | null } | null, customHistories: { edges: Array<{ node: { id: string, name: string, type: string, createdAt: string } | null } | null> | null } | null };

export type RecordQueryVariables = Exact<{
  tokenId: string;
  contract?: string | null | undefined;
  languages?: Array<string> | string | null | undefined;
}>;


export type RecordQuery = { srr: { id: string, tokenId: string, contractAddress: string | null, indexing: Indexing, metadataStatus: MetadataStatus, metadataCID: string | null, metadataUrl: string | null, indexedAtBlock: string | null, originTxHash: string | null, originChain: string | null, owner: string | null, createdAt: string | null, lockExternalTransfer: boolean | null, artist: { id: string, address: string, englishName: string, originalName: string } | null, metadata: { id: string, isDigital: boolean | null, title: { text: string, language: string | null } | null, yearOfCreation: { text: string, language: string | null } | null, medium: { text: string, language: string | null } | null, note: { text: string, language: string | null } | null, size: { width: number | null, height: number | null, depth: number | null, unit: string | null, flexibleDescription: { text: string, language: string | null } | null } | null, edition: { number: number | null, totalNumber: number | null, note: { text: string, language: string | null } | null } | null, image: { url: string, cid: string | null, small: string, large: string } | null, thumbnail: { url: string, cid: string | null } | null, contractTerms: { royaltyRate: number | null, file: { url: string, cid: string | null } | null } | null, attachmentFiles: Array<{ hash: string, category: string, url: string | null }> | null, digitalComponents: Array<{ hash: string, category: string, url: string | null }> | null } | null, issuer: { id: string, englishName: string, originalName: string } | null, collection: { id: string, name: string, address: string } | null, royalty: { percent: number, receiver: string } | null, provenance: { edges: Array<{ node: { id: string, to: string, timestamp: string, customHistory: { id: string, name: string, type: string } | null } | null } | null> | null } | null, metadataHistory: { edges: Array<{ node: { id: string, createdAt: string, metadataDigest: string, metadata: { id: string, title: { text: string, language: string | null } | null } | null } | null } | null> | null } | null, customHistories: { edges: Array<{ node: { id: string, name: string, type: string, createdAt: string } | null } | null> | null } | null } | null };

export type WorkEntryFragment = { id: string, externalId: string, status: EntryStatus, input: unknown, error: { code: ErrorCode, message: string, path: Array<string> | null } | null, srr: { id: string, tokenId: string, contractAddress: string | null } | null };

export type MyWorkQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type MyWorkQuery = { issuances: { edges: Array<{ cursor: string, node: { id: string, requestId: string, status: IssuanceStatus, createdAt: string, progress: { total: number, issued: number, failed: number }, error: { code: ErrorCode, message: string } | null, entries: { edges: Array<{ node: { id: string, externalId: string, status: EntryStatus, input: unknown, error: { code: ErrorCode, message: string, path: Array<string> | null } | null, srr: { id: string, tokenId: string, contractAddress: string | null } | null } | null } | null> | null } } | null } | null> | null, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export const PicturedFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Pictured"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Media"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"small"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"320"}}]}}]},{"kind":"Field","alias":{"kind":"Name","value":"large"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"640"}}]}}]}]}}]} as unknown as DocumentNode<PicturedFragment, unknown>;
export const CardFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Card"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRR"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"contractAddress"}},{"kind":"Field","name":{"kind":"Name","value":"indexing"}},{"kind":"Field","name":{"kind":"Name","value":"metadataStatus"}},{"kind":"Field","name":{"kind":"Name","value":"artist"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"yearOfCreation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"thumbnail"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Pictured"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Pictured"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Media"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"small"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"320"}}]}}]},{"kind":"Field","alias":{"kind":"Name","value":"large"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"640"}}]}}]}]}}]} as unknown as DocumentNode<CardFragment, unknown>;
export const WorkEntryFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WorkEntry"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IssuanceEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"externalId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"input"}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}}]}},{"kind":"Field","name":{"kind":"Name","value":"srr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"contractAddress"}}]}}]}}]} as unknown as DocumentNode<WorkEntryFragment, unknown>;
export const EntryStateFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EntryState"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IssuanceEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WorkEntry"}},{"kind":"Field","name":{"kind":"Name","value":"srr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"indexing"}},{"kind":"Field","name":{"kind":"Name","value":"metadataStatus"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"image"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Pictured"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WorkEntry"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IssuanceEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"externalId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"input"}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}}]}},{"kind":"Field","name":{"kind":"Name","value":"srr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"contractAddress"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Pictured"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Media"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"small"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"320"}}]}}]},{"kind":"Field","alias":{"kind":"Name","value":"large"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"640"}}]}}]}]}}]} as unknown as DocumentNode<EntryStateFragment, unknown>;
export const FactsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Facts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRRMetadata"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"yearOfCreation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"medium"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"note"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"size"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"width"}},{"kind":"Field","name":{"kind":"Name","value":"height"}},{"kind":"Field","name":{"kind":"Name","value":"depth"}},{"kind":"Field","name":{"kind":"Name","value":"unit"}},{"kind":"Field","name":{"kind":"Name","value":"flexibleDescription"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"edition"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"totalNumber"}},{"kind":"Field","name":{"kind":"Name","value":"note"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"isDigital"}},{"kind":"Field","name":{"kind":"Name","value":"image"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"small"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"640"}}]}}]},{"kind":"Field","alias":{"kind":"Name","value":"large"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"1440"}}]}}]},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"cid"}}]}},{"kind":"Field","name":{"kind":"Name","value":"thumbnail"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"cid"}}]}},{"kind":"Field","name":{"kind":"Name","value":"contractTerms"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"royaltyRate"}},{"kind":"Field","name":{"kind":"Name","value":"file"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"cid"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"attachmentFiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}},{"kind":"Field","name":{"kind":"Name","value":"digitalComponents"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]} as unknown as DocumentNode<FactsFragment, unknown>;
export const ChainFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Chain"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRR"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"indexedAtBlock"}},{"kind":"Field","name":{"kind":"Name","value":"originTxHash"}},{"kind":"Field","name":{"kind":"Name","value":"originChain"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"lockExternalTransfer"}},{"kind":"Field","name":{"kind":"Name","value":"issuer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"address"}}]}},{"kind":"Field","name":{"kind":"Name","value":"royalty"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"percent"}},{"kind":"Field","name":{"kind":"Name","value":"receiver"}}]}},{"kind":"Field","name":{"kind":"Name","value":"provenance"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"to"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"customHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadataHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"customHistories"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ChainFragment, unknown>;
export const GalleryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Gallery"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"languages"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SRRFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SRROrder"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"srrs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Card"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Pictured"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Media"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"small"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"320"}}]}}]},{"kind":"Field","alias":{"kind":"Name","value":"large"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"640"}}]}}]}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Card"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRR"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"contractAddress"}},{"kind":"Field","name":{"kind":"Name","value":"indexing"}},{"kind":"Field","name":{"kind":"Name","value":"metadataStatus"}},{"kind":"Field","name":{"kind":"Name","value":"artist"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"yearOfCreation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"thumbnail"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Pictured"}}]}}]}}]}}]} as unknown as DocumentNode<GalleryQuery, GalleryQueryVariables>;
export const ChoicesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Choices"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"licensedUsers"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"200"}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"NAME_ASC"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"200"}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"NAME_ASC"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ChoicesQuery, ChoicesQueryVariables>;
export const CheckDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Check"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"entries"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"IssueEntryInput"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"validateSRRs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"entries"},"value":{"kind":"Variable","name":{"kind":"Name","value":"entries"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"userErrors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}}]}}]}}]}}]} as unknown as DocumentNode<CheckQuery, CheckQueryVariables>;
export const IssuedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Issued"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"languages"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"issuance"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"entries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EntryState"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WorkEntry"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IssuanceEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"externalId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"input"}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}}]}},{"kind":"Field","name":{"kind":"Name","value":"srr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"contractAddress"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Pictured"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Media"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"small"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"320"}}]}}]},{"kind":"Field","alias":{"kind":"Name","value":"large"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"640"}}]}}]}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EntryState"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IssuanceEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WorkEntry"}},{"kind":"Field","name":{"kind":"Name","value":"srr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"indexing"}},{"kind":"Field","name":{"kind":"Name","value":"metadataStatus"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"image"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Pictured"}}]}}]}}]}}]}}]} as unknown as DocumentNode<IssuedQuery, IssuedQueryVariables>;
export const ViewerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"issuer"}},{"kind":"Field","name":{"kind":"Name","value":"licensedUser"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}},{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<ViewerQuery, ViewerQueryVariables>;
export const UploadedFileDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"UploadedFile"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Upload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"downloadUrl"}}]}}]}}]}}]} as unknown as DocumentNode<UploadedFileQuery, UploadedFileQueryVariables>;
export const RecordDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Record"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"tokenId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TokenId"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"contract"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"languages"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"srr"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"tokenId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"tokenId"}}},{"kind":"Argument","name":{"kind":"Name","value":"collection"},"value":{"kind":"Variable","name":{"kind":"Name","value":"contract"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"contractAddress"}},{"kind":"Field","name":{"kind":"Name","value":"indexing"}},{"kind":"Field","name":{"kind":"Name","value":"metadataStatus"}},{"kind":"Field","name":{"kind":"Name","value":"metadataCID"}},{"kind":"Field","name":{"kind":"Name","value":"metadataUrl"}},{"kind":"Field","name":{"kind":"Name","value":"artist"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Facts"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"Chain"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Facts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRRMetadata"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"yearOfCreation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"medium"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"note"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}},{"kind":"Field","name":{"kind":"Name","value":"size"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"width"}},{"kind":"Field","name":{"kind":"Name","value":"height"}},{"kind":"Field","name":{"kind":"Name","value":"depth"}},{"kind":"Field","name":{"kind":"Name","value":"unit"}},{"kind":"Field","name":{"kind":"Name","value":"flexibleDescription"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"edition"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"totalNumber"}},{"kind":"Field","name":{"kind":"Name","value":"note"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"isDigital"}},{"kind":"Field","name":{"kind":"Name","value":"image"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"small"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"640"}}]}}]},{"kind":"Field","alias":{"kind":"Name","value":"large"},"name":{"kind":"Name","value":"url"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"transform"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"maxWidth"},"value":{"kind":"IntValue","value":"1440"}}]}}]},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"cid"}}]}},{"kind":"Field","name":{"kind":"Name","value":"thumbnail"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"cid"}}]}},{"kind":"Field","name":{"kind":"Name","value":"contractTerms"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"royaltyRate"}},{"kind":"Field","name":{"kind":"Name","value":"file"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"cid"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"attachmentFiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}},{"kind":"Field","name":{"kind":"Name","value":"digitalComponents"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Chain"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRR"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"indexedAtBlock"}},{"kind":"Field","name":{"kind":"Name","value":"originTxHash"}},{"kind":"Field","name":{"kind":"Name","value":"originChain"}},{"kind":"Field","name":{"kind":"Name","value":"owner"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"lockExternalTransfer"}},{"kind":"Field","name":{"kind":"Name","value":"issuer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"address"}}]}},{"kind":"Field","name":{"kind":"Name","value":"royalty"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"percent"}},{"kind":"Field","name":{"kind":"Name","value":"receiver"}}]}},{"kind":"Field","name":{"kind":"Name","value":"provenance"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"to"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"customHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadataHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]},{"kind":"Field","name":{"kind":"Name","value":"language"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"languages"},"value":{"kind":"Variable","name":{"kind":"Name","value":"languages"}}}]}]}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"customHistories"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]}}]}}]}}]} as unknown as DocumentNode<RecordQuery, RecordQueryVariables>;
export const MyWorkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"MyWork"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"issuances"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"issued"}},{"kind":"Field","name":{"kind":"Name","value":"failed"}}]}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"entries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WorkEntry"}}]}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WorkEntry"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IssuanceEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"externalId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"input"}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"path"}}]}},{"kind":"Field","name":{"kind":"Name","value":"srr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"contractAddress"}}]}}]}}]} as unknown as DocumentNode<MyWorkQuery, MyWorkQueryVariables>;