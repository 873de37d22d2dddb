/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** An uploaded file that belongs to the record. The issuance service writes its hash into the metadata document. */
export type AttachmentInput = {
  /** The category that the file was uploaded under. NON_ATTACHMENT_FILE is refused. */
  category: FileCategory;
  /** The uploaded file. */
  file: FileRefInput;
  /** The filename for downloads, with the extension of the file. */
  name: string;
};

/** How the entries are grouped into requests to the issuance service. Each request is atomic. */
export type Batching =
  /** All entries go in one request: either all records are issued, or none. */
  | 'ALL_OR_NOTHING'
  /** The entries go in requests of 250 records. Each request is all or nothing. */
  | 'BATCHES_OF_250';

/** The terms of the contract that comes with the record. */
export type ContractTermsInput = {
  /** A public file with the text of the terms. */
  file?: FileRefInput | null | undefined;
  /** The royalty on a resale, in percent from 0 to 100. */
  royaltyRate?: number | null | undefined;
};

/** The input of createUploads. */
export type CreateUploadsInput = {
  /** The files to upload, one item for each. */
  files: Array<UploadSpecInput>;
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

/** Conditions on events. An event must meet all that are given; null counts as not given. */
export type EventFilter = {
  /** Events about the collection at this contract address, or about records in it. */
  collection?: string | null | undefined;
  /** Events about records with one of these external ids. */
  externalIds?: Array<string> | null | undefined;
  /** Events about the issuance with this global id, or about its records. */
  issuance?: string | null | undefined;
  /** Events about records with one of these token ids. */
  tokenIds?: Array<string> | null | undefined;
  /** Events of one of these types. */
  types?: Array<EventType> | null | undefined;
};

/** The source of an event. */
export type EventSource =
  /** The gateway did it itself. */
  | 'GATEWAY'
  /** The issuance service reported it in its answer to a request of the gateway. */
  | 'RESPONSE'
  /** The gateway found it in the subgraph, because no webhook had reported it. */
  | 'SUBGRAPH'
  /** The issuance service reported it by webhook. */
  | 'WEBHOOK';

/** Where a subscription without a cursor starts. */
export type EventStart =
  /** The whole event log is replayed from the first event, then the subscription goes on live. */
  | 'BEGINNING'
  /** The subscription starts after the newest event, and sends only later ones. */
  | 'NOW';

/** The type of an event: what happened. */
export type EventType =
  /** A collection contract was deployed. */
  | 'COLLECTION_CREATED'
  /** A collection contract could not be deployed. */
  | 'COLLECTION_FAILED'
  /** An issuance ended before it was sent, because of its files or its API key. None of its records was issued. Records that the issuance service refused are SRR_FAILED. */
  | 'ISSUANCE_REJECTED'
  /** A record was refused, or was accepted but not mined. SRR_ISSUED follows if it is minted after all. */
  | 'SRR_FAILED'
  /** A record was minted. */
  | 'SRR_ISSUED'
  /** A transfer of a record was executed on chain. The record has another owner. */
  | 'TRANSFER_COMPLETED'
  /** A transfer of a record was reserved on chain. */
  | 'TRANSFER_RESERVED'
  /** A webhook entry of an unknown type or in an unknown form. It changes no status; raw has all of it. */
  | 'UNRECOGNIZED'
  /** A webhook endpoint of the issuer failed for so long that nothing is sent to it any more. updateWebhookEndpoint with status ENABLED resumes where it stopped. */
  | 'WEBHOOK_ENDPOINT_DISABLED';

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

/** The input of issueSRRs. */
export type IssueSRRsInput = {
  /** How the entries are grouped into requests to the issuance service. */
  batching?: Batching | null | undefined;
  /** The records to issue, at least one. */
  entries: Array<IssueEntryInput>;
  /** The idempotency key, of at most 255 characters, unique per issuer and stored for ever; a UUID is a good choice. Without it the gateway makes one, and a repeated call issues again. */
  requestId?: string | null | undefined;
};

/** The source of the status of an entry or of a collection. */
export type OutcomeSource =
  /** The issuance service’s answer to the gateway’s request. */
  | 'RESPONSE'
  /** The subgraph, which the gateway asked because no webhook came in time. */
  | 'SUBGRAPH'
  /** A webhook delivery of the issuance service. */
  | 'WEBHOOK';

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

/** The input of uploadFile. */
export type UploadFileInput = {
  /** The category of the file. */
  category: FileCategory;
  /** The file, as a part of the multipart request. */
  file: Blob;
  /** The filename to store it under. When it is absent, the filename of the multipart part is used. */
  filename?: string | null | undefined;
};

/** A file to be uploaded. */
export type UploadSpecInput = {
  /** The category of the file. */
  category: FileCategory;
  /** The filename, of at most 255 characters, with an extension and without spaces or slashes. A name that has other content already, or was announced with other content in the last 15 minutes, is refused with FILENAME_TAKEN. */
  filename: string;
  /** The SHA-256 of the content, as 64 hex digits. The stored content is checked against it, and the issuer’s file of the same category that already has this content is reused. */
  sha256?: string | null | undefined;
  /** The size of the content in bytes. It must be smaller than 2^31. */
  size?: string | null | undefined;
};

/** The status of an uploaded file at the issuance service. */
export type UploadStatus =
  /** The issuance service has no content under this filename yet. */
  | 'AWAITING_BYTES'
  /** The file is stored. Its hash and CID are being calculated, usually within minutes. */
  | 'CALCULATING'
  /** The issuance service reports a problem, such as a failed calculation or an inaccessible file. message has its text. */
  | 'FAILED'
  /** The file is stored and has its hash and CID. Records can be issued with it. */
  | 'READY';

export type EventsSubscriptionVariables = Exact<{
  after?: string | null | undefined;
  from?: EventStart | null | undefined;
  where?: EventFilter | null | undefined;
}>;


export type EventsSubscription = { events:
    | { __typename: 'CollectionCreated', address: string, id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string }
    | { __typename: 'CollectionFailed', id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string, expectedAddress: string | null, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } }
    | { __typename: 'IssuanceRejected', requestId: string, id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } }
    | { __typename: 'SRRFailed', externalId: string | null, id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } }
    | { __typename: 'SRRIssued', externalId: string | null, id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string, srr: { id: string, tokenId: string } }
    | { __typename: 'TransferCompleted', id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string, record: { id: string, tokenId: string } | null }
    | { __typename: 'TransferReserved', id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string, record: { id: string, tokenId: string } | null }
    | { __typename: 'UnrecognizedEvent', kind: string | null, id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string }
    | { __typename: 'WebhookEndpointDisabled', message: string, webhookEndpoint: string, id: string, cursor: string, type: EventType, source: EventSource, receivedAt: string }
   };

export type HeadCursorQueryVariables = Exact<{ [key: string]: never; }>;


export type HeadCursorQuery = { events: { headCursor: string } | null };

export type IssuanceStateFragment = { id: string, requestId: string, status: IssuanceStatus, createdAt: string, updatedAt: string, completedAt: string | null, progress: { total: number, filesTotal: number, filesReady: number, accepted: number, issued: number, failed: number }, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } | null };

export type IssuedEntryFragment = { id: string, externalId: string, status: EntryStatus, outcomeSource: OutcomeSource | null, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } | null, srr: { id: string, tokenId: string, contractAddress: string | null, metadataCID: string | null, indexing: Indexing } | null };

export type IssueSRRsMutationVariables = Exact<{
  input: IssueSRRsInput;
}>;


export type IssueSRRsMutation = { issueSRRs: { issuance: { id: string, requestId: string, status: IssuanceStatus, createdAt: string, updatedAt: string, completedAt: string | null, progress: { total: number, filesTotal: number, filesReady: number, accepted: number, issued: number, failed: number }, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } | null } | null, userErrors: Array<{ code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null }> } };

export type WatchIssuanceSubscriptionVariables = Exact<{
  id: string;
}>;


export type WatchIssuanceSubscription = { issuance: { id: string, requestId: string, status: IssuanceStatus, createdAt: string, updatedAt: string, completedAt: string | null, progress: { total: number, filesTotal: number, filesReady: number, accepted: number, issued: number, failed: number }, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } | null } };

export type FindIssuanceQueryVariables = Exact<{
  id?: string | null | undefined;
  requestId?: string | null | undefined;
}>;


export type FindIssuanceQuery = { issuance: { id: string, requestId: string, status: IssuanceStatus, createdAt: string, updatedAt: string, completedAt: string | null, progress: { total: number, filesTotal: number, filesReady: number, accepted: number, issued: number, failed: number }, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } | null } | null };

export type IssuanceEntriesQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type IssuanceEntriesQuery = { issuance: { id: string, requestId: string, status: IssuanceStatus, createdAt: string, updatedAt: string, completedAt: string | null, entries: { edges: Array<{ node: { id: string, externalId: string, status: EntryStatus, outcomeSource: OutcomeSource | null, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } | null, srr: { id: string, tokenId: string, contractAddress: string | null, metadataCID: string | null, indexing: Indexing } | null } | null } | null> | null, pageInfo: { hasNextPage: boolean, endCursor: string | null } }, progress: { total: number, filesTotal: number, filesReady: number, accepted: number, issued: number, failed: number }, error: { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null } | null } | null };

export type UploadPartsFragment = { id: string, filename: string, category: FileCategory, contentType: string, status: UploadStatus, finalUrl: string, size: string | null, hash: string | null, cid: string | null, message: string | null };

export type FaultFragment = { code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null };

export type CreateUploadsMutationVariables = Exact<{
  input: CreateUploadsInput;
}>;


export type CreateUploadsMutation = { createUploads: { uploads: Array<{ signedUrl: string | null, proxyUrl: string, id: string, filename: string, category: FileCategory, contentType: string, status: UploadStatus, finalUrl: string, size: string | null, hash: string | null, cid: string | null, message: string | null }>, userErrors: Array<{ code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null }> } };

export type UploadFileMutationVariables = Exact<{
  input: UploadFileInput;
}>;


export type UploadFileMutation = { uploadFile: { upload: { id: string, filename: string, category: FileCategory, contentType: string, status: UploadStatus, finalUrl: string, size: string | null, hash: string | null, cid: string | null, message: string | null } | null, userErrors: Array<{ code: ErrorCode, message: string, path: Array<string> | null, externalId: string | null, upstreamMessage: string | null }> } };

export type UploadStateQueryVariables = Exact<{
  files: Array<FileKeyInput> | FileKeyInput;
}>;


export type UploadStateQuery = { uploads: Array<{ id: string, filename: string, category: FileCategory, contentType: string, status: UploadStatus, finalUrl: string, size: string | null, hash: string | null, cid: string | null, message: string | null }> | null };
