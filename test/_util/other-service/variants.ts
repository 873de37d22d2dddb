import type { DeliveryVariants } from './delivery-variants.ts';
import type { InjectedFault } from './injected-fault.ts';

/** The surfaces that can have faults. */
export type Surface = 'signedUrls' | 'put' | 'fileMetadata' | 'srrs' | 'collection' | 'index' | 'ipfs';

/** The outcome of a transaction of the service. */
export type Mining = 'AUTO' | 'HELD' | 'FAIL';

export interface FileVariants {
  /** The time after its PUT for which a file is unknown to fileMetadata and srrs. */
  invisibleMs: number;
  /** The time from the PUT to the hash. */
  hashMs: number;
  /** The time from the hash to the cid. */
  cidMs: number;
  /** If set, the calculation ends without a hash and with this message, not HASH_STILL_IN_CALCULATION. */
  failure: string | null;
}

/** The choices of this service where the document leaves one. They can change at any time. */
export interface Variants {
  /** The faults of the next calls, one for each. */
  next: Partial<Record<Surface, InjectedFault[]>>;
  /** The fault of all calls, as long as it is set. */
  always: Partial<Record<Surface, InjectedFault>>;
  /** Whether every response and delivery has unknown fields at every level. */
  extraFields: boolean;
  /** The order where none is documented: in `results` of signedUrls, and in the failures of a 400. */
  order: 'REQUEST' | 'REVERSED';
  /** The letter case of addresses in responses and deliveries. */
  addresses: 'CHECKSUM' | 'LOWER';

  /** `of` has other values for single files. */
  files: FileVariants & { of: Record<string, Partial<FileVariants>> };
  /** The form of the list of fileMetadata, which the document names in two ways, and calls an array. */
  fileList: 'results' | 'payload' | 'BARE';
  /** The form of the list of missing files: in `message`, or a bare array. */
  missingList: 'WRAPPED' | 'BARE';
  /** The form of the finalUrl of a private file, documented as "a storage-object address". */
  privateFinalUrl: 'HTTP' | 'OBJECT';

  /** The refusal of an unknown artist, by a code of the entry or a message of the request, as documented. */
  unknownArtist: 'ENTRY' | 'REQUEST';
  /** The log that is checked first. */
  firstCheck: 'REQUEST_ID' | 'CONTENT';
  /** Whether a refused request uses up its requestId. */
  logsRefusedRequestIds: boolean;
  /** The time from the log entry to the acceptance, in which the content log has `in_progress`. */
  processingMs: number;
  /** When the content log changes from `in_progress` to `successful`. */
  contentSuccessful: 'ACCEPTED' | 'MINED';
  /** Whether an externalId whose mining failed can be used again. */
  freesFailedExternalIds: boolean;
  /** The collection address of a record without a collection. */
  registryRecord: 'NULL' | 'ABSENT' | 'REGISTRY';
  /** Whether `$schema` addresses are served, and whether there is a version 2.3, which has `material`. */
  schemas: 'SERVED' | 'ABSENT';
  newerSchema: boolean;
  /** Whether metadata is published as sent, or with the address of the current schema, without integrity. */
  metadata: 'AS_SENT' | 'UPGRADED';
  /** The quota of each wallet for all its records. */
  quota: number;
  nfcAllowance: number;

  /** `of` has other outcomes for single externalIds, or salts of collections. */
  mining: { default: Mining; of: Record<string, Mining> };
  /** The status in the 201 of a collection. */
  collectionStatus: 'waiting_for_mining' | 'failed';
  deliveries: DeliveryVariants;

  index: {
    /** The lag behind the chain in blocks and in milliseconds. */
    lagBlocks: number;
    lagMs: number;
    /** The form of the ids of new records: a hash, or the plain token id of older subgraphs. */
    srrIds: 'KECCAK' | 'TOKEN_ID';
    /** Whether `_meta` has the hash and time of the block. */
    blockDetails: boolean;
    hasIndexingErrors: boolean;
  };
  ipfs: {
    /** The time from the issuance to the publication of the content at the gateway. */
    publishMs: number;
  };
}

/** The default variants: everything in order, and delivered once, at once. */
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
