import type { Logger } from '@srr-gateway/common/log';
import type { Dispatcher } from 'undici';
import type { Health } from '../health.ts';
import { createHttpClient } from '../http.ts';
import { createResilience, failing } from '../resilience.ts';
import { type CollectionRequest, type CollectionResult, createCollection } from './collection.ts';
import { type FileState, fileMetadata, type SignedFile, signedUrls } from './files.ts';
import { type IssueRequest, type IssueResult, issue } from './issue.ts';
import { check, verify } from './probe.ts';
import { CommerceRefusal } from './refusal.ts';
import type { Credentials, FileKey } from './wire.ts';

export type { CollectionRequest, CollectionResult } from './collection.ts';
export { statusOfFile } from './file-status.ts';
export type { FileState, SignedFile } from './files.ts';
export type { IssueRequest, IssueResult } from './issue.ts';
export { CommerceRefusal, requestContentState } from './refusal.ts';
export type { Credentials, FileCategory, FileKey, IssueEntry } from './wire.ts';
export { fileCategories } from './wire.ts';

/**
 * The issuance service's commerce API. Every call throws `CommerceRefusal` when the service refuses it, and
 * `UpstreamError` when it gives no usable answer. Fault paths begin with `payload`.
 */
export interface Commerce {
  /** Signed URLs for reading or writing, in the order of `files`. Retried on transient failures. */
  signedUrls(
    credentials: Credentials,
    action: 'write' | 'read',
    files: readonly FileKey[],
    signal?: AbortSignal,
  ): Promise<SignedFile[]>;

  /** One state for each file, in that order, missing ones included. Retried on transient failures. */
  fileMetadata(
    credentials: Credentials,
    files: readonly FileKey[],
    signal?: AbortSignal,
  ): Promise<FileState[]>;

  /**
   * Issues a batch; sent at most once. A `CommerceRefusal` proves that nothing was issued. An
   * `UpstreamError` proves it only when its `maybeProcessed` is false.
   */
  issue(credentials: Credentials, request: IssueRequest, signal?: AbortSignal): Promise<IssueResult[]>;

  /** Deploys a collection; sent at most once. Its errors prove the same as those of `issue`. */
  createCollection(
    credentials: Credentials,
    collection: CollectionRequest,
    signal?: AbortSignal,
  ): Promise<CollectionResult>;

  /** Whether the service accepts this key for this issuer, tried with a call that changes nothing. */
  verify(credentials: Credentials, signal?: AbortSignal): Promise<boolean>;

  check(signal?: AbortSignal): Promise<Health>;
  close(): Promise<void>;
}

/** Settings of the commerce client. */
export interface CommerceOptions {
  /** `{base_url}`, without a slash at the end. */
  baseUrl: string;
  log: Logger;
  /** In milliseconds. `read`: signed URLs and file states. `issue`: issuing, which publishes files first. */
  timeouts?: { read?: number; issue?: number };
  /** Not closed by this client. Absent: it makes a pool of its own. */
  dispatcher?: Dispatcher;
}

// Enough for a page of uploads and the worker's calls at once, without flooding the service.
const connections = 32;
// Two retries, with their pauses, bridge the restart of a proxy and end before a caller gives up.
const retries = 2;

/** Makes the commerce client, with one breaker for all issuers. */
export function createCommerce(options: CommerceOptions): Commerce {
  const { baseUrl, log, dispatcher } = options;
  const { read = 15_000, issue: write = 120_000 } = options.timeouts ?? {};
  const http = createHttpClient({ connections, ...(dispatcher && { dispatcher }) });
  const context = { baseUrl, http, log };
  const guard = createResilience({
    upstream: 'COMMERCE',
    log,
    host: new URL(baseUrl).host,
    retries,
    // A 5xx with a documented message is about one request: it must not open the breaker for others.
    counts: (error) => failing(error) && !((error as Error).cause instanceof CommerceRefusal),
  });
  return {
    async signedUrls(credentials, action, files, signal) {
      if (files.length === 0) return [];
      const call = { credentials, files, timeoutMs: read };
      return guard.run((live) => signedUrls(context, { ...call, signal: live }, action), signal);
    },
    async fileMetadata(credentials, files, signal) {
      if (files.length === 0) return [];
      const call = { credentials, files, timeoutMs: read };
      return guard.run((live) => fileMetadata(context, { ...call, signal: live }), signal);
    },
    issue: (credentials, request, signal) =>
      guard.once((live) => issue(context, { credentials, request, timeoutMs: write, signal: live }), signal),
    createCollection: (credentials, collection, signal) =>
      guard.once(
        (live) => createCollection(context, { credentials, collection, timeoutMs: write, signal: live }),
        signal,
      ),
    verify: (credentials, signal) =>
      guard.run((live) => verify(context, { credentials, timeoutMs: read, signal: live }), signal),
    check: (signal) => check(context, signal),
    close: () => http.close(),
  };
}
