import { randomUUID } from 'node:crypto';
import type { Logger } from '@srr-gateway/common/log';
import { fromStatus } from '../failure.ts';
import { type Health, probeTimeoutMs } from '../health.ts';
import { createHttpClient } from '../http.ts';
import { createResilience, isOutage, withCallSpan } from '../resilience.ts';
import { type CallContext, type Credentials, parseRefusal, post } from './call.ts';
import { createFileCalls, isAboutFiles } from './files.ts';
import { createIssueCalls } from './issue.ts';
import { CommerceRefusal } from './refusal.ts';

export type { Credentials } from './call.ts';
export { type FileState, type SignedFile, statusOfFile } from './files.ts';
export type { IssueRequest, IssueResult } from './issue.ts';
export { proofOf } from './read-message.ts';
export { CommerceRefusal, isOnlyUnready, requestContentState } from './refusal.ts';

/** Settings of the commerce client. */
export interface CommerceOptions {
  /** `{base_url}`, without a slash at the end. */
  baseUrl: string;
  log: Logger;
  timeouts?: Partial<CallContext['timeouts']>;
}

// Enough for a page of uploads and the worker's calls at once, without overloading the service.
const connections = 32;
// Two retries with their pauses outlast the restart of a proxy, and end before callers give up.
const retries = 2;

/**
 * Creates the client of the commerce API. All calls throw `CommerceRefusal` when the service refuses them, and
 * `UpstreamError` without a usable answer. Paths of faults begin with `payload`.
 */
export function createCommerce({ baseUrl, log, timeouts = {} }: CommerceOptions) {
  const resilience = createResilience({
    upstream: 'COMMERCE',
    log,
    host: new URL(baseUrl).host,
    retries,
    // A 5xx with a documented message is about one request, and must not open the breaker for others.
    counts: (error) => isOutage(error) && !((error as Error).cause instanceof CommerceRefusal),
  });
  const context: CallContext = {
    baseUrl,
    http: createHttpClient({ connections }),
    log,
    resilience,
    timeouts: { read: timeouts.read ?? 15_000, issue: timeouts.issue ?? 120_000 },
  };
  return {
    ...createFileCalls(context),
    ...createIssueCalls(context),
    /** Whether the service accepts this key for this issuer, by a call that changes nothing. */
    verify: (credentials: Credentials, given?: AbortSignal) =>
      resilience.run((signal) => verify(context, credentials, signal), given),
    check: (signal?: AbortSignal) => check(context, signal),
    close: () => context.http.close(),
  };
}

export type Commerce = ReturnType<typeof createCommerce>;

/**
 * Checks a key with a request for a file that cannot exist. 401: refused. An answer about the file: accepted. The
 * extension is a usual one, because the document does not say which ones the service takes.
 * @throws UpstreamError on any other answer. It may come from a proxy, or from a path that is not served for a while,
 * and must not count as proof of the key.
 */
async function verify(context: CallContext, credentials: Credentials, signal?: AbortSignal) {
  const payload = [{ filename: `no-such-file-${randomUUID()}.png`, category: 'non_attachment_file' }];
  const timeoutMs = context.timeouts.read;
  const answer = await post(context, {
    path: 'fileMetadata',
    credentials,
    body: { payload },
    timeoutMs,
    signal,
  });
  if (answer.status === 401) return false;
  if (isAboutFiles(answer)) return true;
  throw fromStatus('COMMERCE', answer);
}

/** Calls without credentials. A healthy service answers that a header is missing. */
async function check(context: CallContext, signal?: AbortSignal): Promise<Health> {
  try {
    const body = { payload: [] };
    const answer = await withCallSpan({ upstream: 'COMMERCE', host: new URL(context.baseUrl).host }, () =>
      post(context, { path: 'fileMetadata', body, timeoutMs: probeTimeoutMs, signal }),
    );
    const parsed = parseRefusal(answer);
    if (answer.status === 401 && parsed?.kind === 'texts' && parsed.texts[0]?.startsWith('Missing header'))
      return { health: 'OK' };
    return {
      health: answer.status >= 500 ? 'DOWN' : 'DEGRADED',
      message: `A call without credentials was answered with HTTP status ${answer.status} instead of the documented 401.`,
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { health: 'DOWN', message: (error as Error).message };
  }
}
