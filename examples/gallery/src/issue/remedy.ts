import type { ErrorCode } from '../gql/graphql.ts';
import type { en } from '../words/en.ts';

/** What people can do about each kind of failure; the gateway's message says what it was. */
const remedies: Partial<Record<ErrorCode, keyof typeof en.remedies>> = {
  MINING_FAILED: 'retry',
  SRR_NOT_CREATED: 'retry',
  DUPLICATE_METADATA: 'known',
  DUPLICATE_EXTERNAL_ID: 'known',
  DUPLICATE_REQUEST_CONTENT: 'known',
  DUPLICATE_REQUEST_ID: 'known',
  DUPLICATE_CHIP: 'known',
  QUOTA_EXCEEDED: 'quota',
  NFC_ALLOWANCE_EXCEEDED: 'quota',
  FILE_NOT_FOUND: 'files',
  FILE_NOT_READY: 'files',
  CONTENT_MISMATCH: 'files',
  ATTACHMENT_NOT_FOUND: 'files',
  ATTACHMENT_NOT_READY: 'files',
  SERVICE_ERROR: 'later',
  UPSTREAM_UNAVAILABLE: 'later',
  UPSTREAM_TIMEOUT: 'later',
  RATE_LIMITED: 'later',
};

export const remedyOf = (code: ErrorCode) => remedies[code] ?? 'input';
