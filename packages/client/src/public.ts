export type { Client, ClientOptions, MutateOptions } from './client.ts';
export type { TypedDocument } from './document.ts';
export type { FollowOptions, GatewayEvent } from './follow.ts';
export { type Fault, GatewayError, NoAnswerError } from './gateway-error.ts';
export * from './generated/error-classes.ts';
export type {
  AttachmentInput,
  Batching,
  EntryStatus,
  ErrorCode,
  EventFilter,
  EventStart,
  EventType,
  FileCategory,
  FileRefInput,
  IssuanceStatus,
  IssueEntryInput,
  SRRMetadataInput,
  UploadStatus,
} from './generated/types.ts';
export type { RawResult, Result } from './http.ts';
export {
  type FinalIssuance,
  type IssuanceState,
  type IssueOptions,
  type Issuing,
  NotIssuedError,
} from './issue.ts';
export type { Way } from './platform.ts';
export type { Retry, RetryOptions } from './retry.ts';
export type { Subscribe } from './sse.ts';
export type { Progress, Upload, UploadOptions } from './upload.ts';
