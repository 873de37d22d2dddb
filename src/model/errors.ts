/** All error codes (`ErrorCode` in the schema). */
export const errorCodes = [
  'INVALID_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'IDEMPOTENCY_CONFLICT',
  'DUPLICATE_METADATA',
  'DUPLICATE_CHIP',
  'INVALID_CHIP',
  'DUPLICATE_EXTERNAL_ID',
  'UNKNOWN_ARTIST',
  'SRR_NOT_CREATED',
  'METADATA_INVALID',
  'METADATA_MISSING',
  'METADATA_CONVERSION_FAILED',
  'ADDRESS_INVALID',
  'ADDRESS_NOT_FOUND',
  'EXTERNAL_ID_INVALID',
  'FILE_URL_NOT_ALLOWED',
  'FILE_NOT_PUBLIC',
  'FILE_NOT_FOUND',
  'FILE_NOT_READY',
  'ATTACHMENT_NOT_FOUND',
  'ATTACHMENT_NOT_READY',
  'DUPLICATE_REQUEST_ID',
  'DUPLICATE_REQUEST_CONTENT',
  'FILENAME_EXTENSION_MISSING',
  'FILENAME_HAS_SPACE',
  'FILENAME_TAKEN',
  'CATEGORY_INVALID',
  'FILE_TOO_LARGE',
  'CONTENT_MISMATCH',
  'QUOTA_EXCEEDED',
  'NFC_ALLOWANCE_EXCEEDED',
  'SERVICE_ERROR',
  'UNKNOWN_ERROR',
  'MINING_FAILED',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_BAD_RESPONSE',
  'RATE_LIMITED',
  'SUBSCRIBER_LAGGED',
  'CURSOR_EXPIRED',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** One fault as plain data, as the database stores it and clients get it. */
export interface Fault {
  code: ErrorCode;
  /** For people: what is wrong, and what to do. */
  message: string;
  /** The place in the caller's input, e.g. `["input", "entries", "3", "externalId"]`. */
  path?: string[];
  externalId?: string;
  /** The upstream's own message, verbatim. */
  upstreamMessage?: string;
  /** The cursor to subscribe again with, after a subscription was ended. */
  cursor?: string;
  /** A cursor after the same row at the newest block, when the block of the caller's cursor is gone. */
  continueAfter?: string;
}

/** Base class of all errors that callers may see. Other errors are bugs and are masked. */
export class GatewayError extends Error {
  readonly faults: readonly [Fault, ...Fault[]];

  constructor(faults: Fault | [Fault, ...Fault[]], options?: ErrorOptions) {
    const list = Array.isArray(faults) ? faults : ([faults] as [Fault]);
    super(list[0].message, options);
    this.name = new.target.name;
    this.faults = list;
  }

  get code(): ErrorCode {
    return this.faults[0].code;
  }
}

/** The error for credentials that are missing or not valid. */
export const unauthenticated = (message: string, cause?: unknown) =>
  new GatewayError({ code: 'UNAUTHENTICATED', message }, cause === undefined ? undefined : { cause });

/** The systems that the gateway calls. */
export type Upstream = 'COMMERCE' | 'STORAGE' | 'SUBGRAPH' | 'IPFS';

/** An upstream gave no usable answer in time. The caller's input is not at fault. */
export class UpstreamError extends GatewayError {
  readonly upstream: Upstream;
  /**
   * Whether the upstream may have processed the request. Then a call that is not idempotent must not be
   * repeated blindly.
   */
  readonly maybeProcessed: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: Fault,
    upstream: {
      upstream: Upstream;
      maybeProcessed: boolean;
      status?: number | undefined;
      retryAfterMs?: number | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(fault, options);
    this.upstream = upstream.upstream;
    this.maybeProcessed = upstream.maybeProcessed;
    this.status = upstream.status;
    this.retryAfterMs = upstream.retryAfterMs;
  }
}
