import { type ErrorCode, UpstreamError } from '../../model/errors.ts';

/** Why content is unavailable, by the values of the schema's `MetadataStatus`. */
export type ContentFailure =
  | 'TIMEOUT'
  | 'NOT_FOUND'
  | 'INVALID_JSON'
  | 'TOO_LARGE'
  | 'BLOCKED'
  | 'HASH_MISMATCH'
  | 'UNAVAILABLE';

const words: Record<ContentFailure, { code: ErrorCode; message: string }> = {
  TIMEOUT: {
    code: 'UPSTREAM_TIMEOUT',
    message:
      'No IPFS gateway delivered the content in time. Fresh content can take a while; try again later.',
  },
  NOT_FOUND: { code: 'NOT_FOUND', message: 'The IPFS gateways do not have this content.' },
  INVALID_JSON: { code: 'UPSTREAM_BAD_RESPONSE', message: 'The content is not a JSON document.' },
  TOO_LARGE: { code: 'FILE_TOO_LARGE', message: 'The content is larger than the gateway reads.' },
  BLOCKED: {
    code: 'UPSTREAM_BAD_RESPONSE',
    message:
      'The IPFS gateways refuse to deliver this content, or it cannot be fetched safely or checked against this CID.',
  },
  HASH_MISMATCH: {
    code: 'CONTENT_MISMATCH',
    message: 'An IPFS gateway delivered bytes that do not match this CID; they were discarded.',
  },
  UNAVAILABLE: {
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The IPFS gateways cannot be reached or are failing. Try again later.',
  },
};

/** Content that cannot be fetched or verified. No byte of it reaches a caller. */
export class IpfsFailure extends UpstreamError {
  readonly kind: ContentFailure;
  /** The gateway itself is unhealthy, whatever the content. Counts towards opening its breaker. */
  readonly unhealthy: boolean;

  constructor(
    kind: ContentFailure,
    options: {
      status?: number;
      unhealthy?: boolean;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    const { status, unhealthy = false, retryAfterMs, cause } = options;
    super(words[kind], { upstream: 'IPFS', maybeProcessed: false, status, retryAfterMs }, { cause });
    this.kind = kind;
    this.unhealthy = unhealthy;
  }
}

// Most specific first. NOT_FOUND is last: it is certain only if all gateways say so.
const bySpecificity: ContentFailure[] = [
  'HASH_MISMATCH',
  'TOO_LARGE',
  'BLOCKED',
  'TIMEOUT',
  'UNAVAILABLE',
  'NOT_FOUND',
];

/** The most specific of the gateways' failures; UNAVAILABLE when there is none. */
export function mostSpecific(failures: readonly IpfsFailure[]): IpfsFailure {
  const rank = ({ kind }: IpfsFailure) => bySpecificity.indexOf(kind);
  return failures.toSorted((a, b) => rank(a) - rank(b))[0] ?? new IpfsFailure('UNAVAILABLE');
}
