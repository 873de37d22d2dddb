// Made from src/model/error-codes.ts by `npm run codegen`.

import type { ErrorCode } from './graphql.ts';

/** What solves an error that another value of the input does not solve. */
export const solvedBy: Partial<Record<ErrorCode, "later" | "operator" | "wait" | "retry" | "known" | "files">> = {
  "SERVICE_ERROR": "later",
  "UPSTREAM_UNAVAILABLE": "later",
  "UPSTREAM_TIMEOUT": "later",
  "UPSTREAM_BAD_RESPONSE": "later",
  "RATE_LIMITED": "later",
  "QUOTA_EXCEEDED": "operator",
  "NFC_ALLOWANCE_EXCEEDED": "operator",
  "UNKNOWN_ERROR": "operator",
  "MINING_FAILED": "wait",
  "SRR_NOT_CREATED": "retry",
  "DUPLICATE_METADATA": "known",
  "DUPLICATE_CHIP": "known",
  "DUPLICATE_EXTERNAL_ID": "known",
  "DUPLICATE_REQUEST_ID": "known",
  "DUPLICATE_REQUEST_CONTENT": "known",
  "FILE_NOT_FOUND": "files",
  "FILE_NOT_READY": "files",
  "CONTENT_MISMATCH": "files",
  "ATTACHMENT_NOT_FOUND": "files",
  "ATTACHMENT_NOT_READY": "files"
};
