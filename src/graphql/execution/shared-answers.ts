import { hash } from 'node:crypto';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { reasonOf } from '@srr-gateway/common/start-error';
import { backoff } from '@srr-gateway/common/time';
import { ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import { halfOpenAfter } from '../../lib/half-open-after.ts';
import { publish } from '../../observability/telemetry.ts';
import { type Answer, bodyOf } from './response-cache.ts';

/** Finds answers that other replicas have made. */
export type SharedAnswers = Awaited<ReturnType<typeof openSharedAnswers>>;

/** How long to wait for the cache. A healthy one answers in a millisecond, but a busy process may notice later. */
const answerMs = 10;
/** After so many failures in a row the cache is skipped for a while. */
const failuresToOpen = 3;
const halfOpenAfterMs = 1_000;
const connectMs = 2_000;
/** Blocks come every few seconds. Without a new one, an answer is read again after this time. */
const keepMs = 300_000;
/** A longer answer would take as long to fetch as to make. */
const maxBytes = 500_000;

/**
 * Answers to reads of public records, by block and question, in a Valkey or Redis server. A new block is then read
 * once for all replicas.
 * @param fingerprint What else the answers depend on. Replicas with different ones share nothing.
 */
export async function openSharedAnswers(url: string, fingerprint: string, log: Logger) {
  // Imported only when it is configured, as it takes some megabytes.
  const { Redis } = await import('iovalkey');
  const server = new Redis(url, {
    connectionName: 'srr-gateway-answers',
    connectTimeout: connectMs,
    commandTimeout: answerMs,
    // A read must not wait for a connection.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => backoff(attempt, { firstMs: 100, maxMs: 5_000 }),
  });
  const outage = new OutageLog(
    log,
    'ANSWERS_URL: the cache of shared answers is unavailable; this replica reads for itself until it is back',
  );
  // Log only the message: the library's error has the command, including the password, as a property.
  server.on('error', (error) => outage.failed(new Error(reasonOf(error))));
  server.on('ready', () => outage.succeeded());
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: halfOpenAfter(halfOpenAfterMs),
    breaker: new ConsecutiveBreaker(failuresToOpen),
  });

  const keyOf = (block: string, question: string) =>
    `srr:${hash('sha256', JSON.stringify([fingerprint, block, question]), 'base64url')}`;

  return {
    /** An answer that was read at this block; undefined when there is none, or the cache does not answer in time. */
    async find(block: string, question: string): Promise<Answer | undefined> {
      const stored = await breaker.execute(() => server.get(keyOf(block, question))).catch(() => undefined);
      const answer: Answer | undefined =
        typeof stored === 'string' ? { ...bodyOf(stored), complete: true, newestBlock: block } : undefined;
      publish('cache', { cache: 'shared-answers', hit: answer !== undefined });
      return answer;
    },
    /** Stores a complete answer for others. Returns at once. */
    keep(block: string, question: string, answer: Answer): void {
      if (answer.bytes > maxBytes) return;
      const text = answer.body.toString();
      breaker.execute(() => server.set(keyOf(block, question), text, 'PX', keepMs)).catch(() => {});
    },
    close: () => server.disconnect(),
  };
}
