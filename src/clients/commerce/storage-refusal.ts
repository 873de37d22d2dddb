import { type ErrorCode, GatewayError } from '../../model/errors.ts';

/**
 * Why storage refused. After EXPIRED, ask for a fresh signed URL and send again; the others would only
 * be refused again.
 */
export type StorageReason =
  | 'EXPIRED'
  | 'SIGNATURE_MISMATCH'
  | 'NAME_TAKEN'
  | 'TOO_LARGE'
  | 'BODY_MISMATCH'
  | 'NOT_FOUND'
  | 'RANGE'
  | 'NOT_ACCESSIBLE'
  | 'REFUSED';

/** Storage understood the request and refused it. Holds no part of the signed URL. */
export class StorageRefusal extends GatewayError {
  readonly reason: StorageReason;
  readonly status: number;

  constructor(reason: StorageReason, status: number, upstreamMessage: string | undefined) {
    const { code, message } = refusals[reason];
    super({ code, message, ...(upstreamMessage !== undefined && { upstreamMessage }) });
    this.reason = reason;
    this.status = status;
  }
}

const refusals: Record<StorageReason, { code: ErrorCode; message: string }> = {
  EXPIRED: {
    code: 'FORBIDDEN',
    message: 'The signed URL has expired. Ask for a fresh one and send the bytes again.',
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
  TOO_LARGE: { code: 'FILE_TOO_LARGE', message: 'The file must be smaller than 2^31 bytes.' },
  BODY_MISMATCH: {
    code: 'CONTENT_MISMATCH',
    message: 'The bytes do not have the announced length or digest. Send the whole file again.',
  },
  NOT_FOUND: { code: 'FILE_NOT_FOUND', message: 'The file is not in storage. Upload its bytes first.' },
  RANGE: { code: 'INVALID_INPUT', message: 'The range lies outside the file.' },
  NOT_ACCESSIBLE: {
    code: 'FORBIDDEN',
    message:
      'The storage refuses access to this file. Ask for a fresh signed URL; when that is refused too, choose another filename or ask the service’s operator.',
  },
  REFUSED: {
    code: 'FORBIDDEN',
    message: 'The storage refused the request; upstreamMessage has its words. Ask for a fresh signed URL.',
  },
};

/** What object stores call these things; they agree on the words more than on the statuses. */
const words: [RegExp, StorageReason][] = [
  [/ExpiredToken|has expired|RequestTimeTooSkewed/i, 'EXPIRED'],
  [/SignatureDoesNotMatch|MalformedSecurityHeader/i, 'SIGNATURE_MISMATCH'],
  [/PreconditionFailed|ConditionNotMet|ObjectAlreadyExists/i, 'NAME_TAKEN'],
  [/EntityTooLarge/i, 'TOO_LARGE'],
  [/BadDigest|InvalidDigest|IncompleteBody/i, 'BODY_MISMATCH'],
  [/NoSuchKey|NoSuchBucket/i, 'NOT_FOUND'],
  [/InvalidRange/i, 'RANGE'],
  [/AccessDenied|AccountProblem|AllAccessDisabled/i, 'NOT_ACCESSIBLE'],
];

const statuses: Record<number, StorageReason> = {
  401: 'NOT_ACCESSIBLE',
  403: 'NOT_ACCESSIBLE',
  404: 'NOT_FOUND',
  409: 'NAME_TAKEN',
  412: 'NAME_TAKEN',
  413: 'TOO_LARGE',
  416: 'RANGE',
};

/** Reads a 4xx of storage; XML or JSON, the words are the same. */
export function readStorageRefusal(status: number, body: string): StorageRefusal {
  const reason = words.find(([word]) => word.test(body))?.[1] ?? statuses[status] ?? 'REFUSED';
  // Only the short code and message: some stores repeat the signed request in their answer.
  const said = ['Code', 'Message']
    .map((tag) => new RegExp(`<${tag}>([^<]{1,200})</${tag}>`).exec(body)?.[1] ?? inJson(tag, body))
    .filter((text) => text !== undefined && !text.includes('?'));
  return new StorageRefusal(reason, status, said.length > 0 ? said.join(': ') : undefined);
}

/** The same field of an answer in JSON, as far as it is a plain text. */
const inJson = (tag: string, body: string): string | undefined =>
  new RegExp(`"${tag}"\\s*:\\s*"([^"\\\\]{1,200})"`, 'i').exec(body)?.[1];
