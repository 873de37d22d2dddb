import { type ErrorCode, GatewayError } from '../../model/errors.ts';

/**
 * Why the storage refused. After EXPIRED a new signed URL helps, after BUSY and TIMEOUT a retry with the same one;
 * otherwise it would refuse again.
 */
type StorageRefusalKind =
  | 'EXPIRED'
  | 'SIGNATURE_MISMATCH'
  | 'NAME_TAKEN'
  | 'BUSY'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'LENGTH_UNKNOWN'
  | 'BODY_MISMATCH'
  | 'NOT_FOUND'
  | 'NOT_ACCESSIBLE'
  | 'REFUSED';

/** The storage refused the request. The error has no part of the signed URL, which is a secret. */
export class StorageRefusal extends GatewayError {
  readonly kind: StorageRefusalKind;
  readonly status: number;

  constructor(kind: StorageRefusalKind, status: number, upstreamMessage: string | undefined) {
    const { code, message } = refusals[kind];
    super({ code, message, ...(upstreamMessage !== undefined && { upstreamMessage }) });
    this.kind = kind;
    this.status = status;
  }
}

const refusals: Record<StorageRefusalKind, { code: ErrorCode; message: string }> = {
  EXPIRED: {
    code: 'FORBIDDEN',
    message: 'The signed URL has expired. Ask for a new one and send the bytes again.',
  },
  SIGNATURE_MISMATCH: {
    code: 'CONTENT_MISMATCH',
    message: 'The signature does not fit the request. Send exactly the contentType that came with the URL.',
  },
  NAME_TAKEN: {
    code: 'FILENAME_TAKEN',
    message:
      'A file of this name is already stored and cannot change. Choose another filename, or use that file where it is yours (the query uploads tells its hash).',
  },
  BUSY: {
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The storage is busy with another write to this file. Send the bytes again in a few seconds.',
  },
  TIMEOUT: {
    code: 'UPSTREAM_TIMEOUT',
    message: 'The storage gave up waiting for the bytes. Send the whole file again.',
  },
  TOO_LARGE: { code: 'FILE_TOO_LARGE', message: 'The file must be smaller than 2^31 bytes.' },
  LENGTH_UNKNOWN: {
    code: 'INVALID_INPUT',
    message:
      'The storage takes no file of unknown length. Send Content-Length, or announce the size in createUploads.',
  },
  BODY_MISMATCH: {
    code: 'CONTENT_MISMATCH',
    message: 'The bytes do not have the announced length or digest. Send the whole file again.',
  },
  NOT_FOUND: { code: 'FILE_NOT_FOUND', message: 'The file is not in storage. Upload its bytes first.' },
  NOT_ACCESSIBLE: {
    code: 'FORBIDDEN',
    message:
      'The storage refuses access to this file. Ask for a new signed URL; if that is refused too, choose another filename or ask the service’s operator.',
  },
  REFUSED: {
    code: 'FORBIDDEN',
    message: 'The storage refused the request; upstreamMessage has its reason. Ask for a new signed URL.',
  },
};

/** Error codes of object stores, which agree on these words more than on HTTP statuses. */
const words: [RegExp, StorageRefusalKind][] = [
  [/ExpiredToken|has expired|RequestTimeTooSkewed|not valid in the specified time frame/i, 'EXPIRED'],
  [/SignatureDoesNotMatch|MalformedSecurityHeader|Signature did not match/i, 'SIGNATURE_MISMATCH'],
  // S3 answers it with the status 400.
  [/RequestTimeout/, 'TIMEOUT'],
  // With the status 409, as NAME_TAKEN has in other stores.
  [/ConditionalRequestConflict|OperationAborted/i, 'BUSY'],
  [/PreconditionFailed|ConditionNotMet|ObjectAlreadyExists/i, 'NAME_TAKEN'],
  [/EntityTooLarge/i, 'TOO_LARGE'],
  [/MissingContentLength|<Header>Transfer-Encoding</i, 'LENGTH_UNKNOWN'],
  [/BadDigest|InvalidDigest|IncompleteBody/i, 'BODY_MISMATCH'],
  [/NoSuchKey|NoSuchBucket/i, 'NOT_FOUND'],
  [/AccessDenied|AccountProblem|AllAccessDisabled/i, 'NOT_ACCESSIBLE'],
];

const statuses: Record<number, StorageRefusalKind> = {
  401: 'NOT_ACCESSIBLE',
  403: 'NOT_ACCESSIBLE',
  404: 'NOT_FOUND',
  409: 'NAME_TAKEN',
  411: 'LENGTH_UNKNOWN',
  412: 'NAME_TAKEN',
  413: 'TOO_LARGE',
};

/** Reads a 4xx answer of storage, or S3's 501, in XML or JSON. */
export function readStorageRefusal(status: number, body: string): StorageRefusal {
  const kind = words.find(([word]) => word.test(body))?.[1] ?? statuses[status] ?? 'REFUSED';
  // Take only code and message: some stores quote the signed request, a secret, in their answer.
  const reasons = ['Code', 'Message']
    .map((tag) => new RegExp(`<${tag}>([^<]{1,200})</${tag}>`).exec(body)?.[1] ?? inJson(tag, body))
    .filter((text) => text !== undefined && !text.includes('?'));
  return new StorageRefusal(kind, status, reasons.length > 0 ? reasons.join(': ') : undefined);
}

/** The same field of a JSON answer, if it is plain text. */
const inJson = (tag: string, body: string): string | undefined =>
  new RegExp(`"${tag}"\\s*:\\s*"([^"\\\\]{1,200})"`, 'i').exec(body)?.[1];
