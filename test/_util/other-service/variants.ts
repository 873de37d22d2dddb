import type { DeliveryVariants } from './delivery-variants.ts';
import type { Trouble } from './trouble.ts';

/** The surfaces that can be put in trouble. */
export type Surface = 'signedUrls' | 'put' | 'fileMetadata' | 'srrs' | 'collection' | 'index' | 'ipfs';

/** What happens to a transaction that the service sent to the chain. */
export type Mining = 'AUTO' | 'HELD' | 'FAIL';

export interface FileVariants {
  /** A file is unknown to fileMetadata and srrs for so long after its PUT. */
  invisibleMs: number;
  /** From the PUT to the hash. */
  hashMs: number;
  /** From the hash to the cid. */
  cidMs: number;
  /** Set: the calculation ends with this message instead of HASH_STILL_IN_CALCULATION, and without a hash. */
  failure: string | null;
}

/** What the document leaves open, as this service does it. Change it at any time: it is read at each use. */
export interface Variants {
  /** Answers of the next calls, one each. */
  next: Partial<Record<Surface, Trouble[]>>;
  /** Answers of all calls, as long as it stands here. */
  always: Partial<Record<Surface, Trouble>>;
  /** Every answer and delivery has fields that nobody knows, at every level. */
  extraFields: boolean;
  /** Where no order is promised: signedUrls' `results`, and the failures of a 400. */
  order: 'REQUEST' | 'REVERSED';
  /** Addresses in answers and deliveries. */
  addresses: 'CHECKSUM' | 'LOWER';

  /** `of` names files that fare otherwise than the rest. */
  files: FileVariants & { of: Record<string, Partial<FileVariants>> };
  /** The document names the list of fileMetadata in two ways, and calls the answer an array. */
  fileList: 'results' | 'payload' | 'BARE';
  /** The list of missing files: below `message`, or a bare array. */
  missingList: 'WRAPPED' | 'BARE';
  /** A private file's finalUrl: "a storage-object address". */
  privateFinalUrl: 'HTTP' | 'OBJECT';

  /** Of an unknown artist: an entry's code or a message of the whole request; both are documented. */
  unknownArtist: 'ENTRY' | 'REQUEST';
  /** Which of the two logs is asked first when both know a request. */
  firstCheck: 'REQUEST_ID' | 'CONTENT';
  /** Whether a request that was refused has used up its requestId. */
  logsRefusedRequestIds: boolean;
  /** From the logs' entry to the acceptance; meanwhile the content log says `in_progress`. */
  processingMs: number;
  /** When the content log says `successful` and no longer `in_progress`. */
  contentSuccessful: 'ACCEPTED' | 'MINED';
  /** Whether an externalId whose mining failed may be used again. */
  freesFailedExternalIds: boolean;
  /** Of a record without a collection. */
  registryRecord: 'NULL' | 'ABSENT' | 'REGISTRY';
  /** Whether `$schema` addresses answer, and whether a version 2.3 exists, which knows `material`. */
  schemas: 'SERVED' | 'ABSENT';
  newerSchema: boolean;
  /** Publishes metadata as it was sent, or upgraded to the current schema's address and without integrity. */
  metadata: 'AS_SENT' | 'UPGRADED';
  /** Of each wallet; what is used up counts from the start. */
  quota: number;
  nfcAllowance: number;

  /** `of` names externalIds, or salts of collections, that fare otherwise than the rest. */
  mining: { default: Mining; of: Record<string, Mining> };
  /** What the 201 of a collection says. */
  collectionStatus: 'waiting_for_mining' | 'failed';
  deliveries: DeliveryVariants;

  index: {
    /** How many blocks, and how many milliseconds, it is behind the chain. */
    lagBlocks: number;
    lagMs: number;
    /** Of records that are minted from now on: by hash, or the bare token id of older subgraphs. */
    srrIds: 'KECCAK' | 'TOKEN_ID';
    /** Whether `_meta` tells a block's hash and time. */
    blockDetails: boolean;
    hasIndexingErrors: boolean;
  };
  ipfs: {
    /** From the issuance to the content's appearance at the gateway. */
    publishMs: number;
  };
}

/** The plain reading: everything in order, told once and at once. */
export function plainVariants(): Variants {
  return {
    next: {},
    always: {},
    extraFields: false,
    order: 'REQUEST',
    addresses: 'CHECKSUM',
    files: { invisibleMs: 0, hashMs: 10, cidMs: 0, failure: null, of: {} },
    fileList: 'results',
    missingList: 'WRAPPED',
    privateFinalUrl: 'HTTP',
    unknownArtist: 'ENTRY',
    firstCheck: 'REQUEST_ID',
    logsRefusedRequestIds: false,
    processingMs: 0,
    contentSuccessful: 'ACCEPTED',
    freesFailedExternalIds: true,
    registryRecord: 'NULL',
    schemas: 'SERVED',
    newerSchema: false,
    metadata: 'AS_SENT',
    quota: Number.POSITIVE_INFINITY,
    nfcAllowance: Number.POSITIVE_INFINITY,
    mining: { default: 'AUTO', of: {} },
    collectionStatus: 'waiting_for_mining',
    deliveries: {
      way: 'SEND',
      delayMs: 0,
      copies: 1,
      gatherMs: 0,
      reversed: false,
      envelope: 'LIST',
      ids: 'SLIM',
      status: false,
      failedAs: 'KIND',
      kinds: {
        issued: 'issue_complete',
        failed: 'issue_failed',
        collectionCreated: 'collection_created',
        collectionFailed: 'collection_create_failed',
      },
      tells: 'OUTCOME',
      tellsRefusals: 'NO',
      attempts: 5,
      retryMs: 30,
    },
    index: { lagBlocks: 0, lagMs: 0, srrIds: 'KECCAK', blockDetails: true, hasIndexingErrors: false },
    ipfs: { publishMs: 0 },
  };
}
