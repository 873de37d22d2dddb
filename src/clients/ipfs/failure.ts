import { type ErrorCode, UpstreamError } from '../../model/errors.ts';

/** Why content is not there, in the words of the schema's `MetadataStatus`. */
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
  TOO_LARGE: { code: 'FILE_TOO_LARGE', message: 'The content is larger than the gateway takes in.' },
  BLOCKED: { code: 'UPSTREAM_BAD_RESPONSE', message: 'The IPFS gateways refuse to deliver this content.' },
  HASH_MISMATCH: {
    code: 'CONTENT_MISMATCH',
    message: 'An IPFS gateway delivered bytes that do not belong to this CID; they were thrown away.',
  },
  UNAVAILABLE: {
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The IPFS gateways cannot be reached or are failing. Try again later.',
  },
};

/** Content that cannot be had, or not be trusted. Nothing of it reaches anybody. */
export class IpfsFailure extends UpstreamError {
  readonly reason: ContentFailure;
  /** The gateway itself is not well, whatever it was asked for. */
  readonly unwell: boolean;

  constructor(reason: ContentFailure, options: { status?: number; unwell?: boolean; cause?: unknown } = {}) {
    const { status, unwell = false, cause } = options;
    super(words[reason], { upstream: 'IPFS', maybeProcessed: false, status }, { cause });
    this.reason = reason;
    this.unwell = unwell;
  }
}

// Only all gateways together can say that content is not there; what one found wrong with it says more.
const byWeight: ContentFailure[] = [
  'HASH_MISMATCH',
  'TOO_LARGE',
  'BLOCKED',
  'TIMEOUT',
  'UNAVAILABLE',
  'NOT_FOUND',
];

/** The one failure that stands for what all gateways said. */
export function weightiest(failures: readonly IpfsFailure[]): IpfsFailure {
  const weight = ({ reason }: IpfsFailure) => byWeight.indexOf(reason);
  return failures.toSorted((a, b) => weight(a) - weight(b))[0] ?? new IpfsFailure('UNAVAILABLE');
}
