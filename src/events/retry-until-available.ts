import type { Logger } from '@srr-gateway/common/log';
import { sleep } from '@srr-gateway/common/time';

/** A database that is restarting is asked again so soon. */
const retryMs = 250;

/**
 * Reads until the database answers, or `signal` aborts: subscribers outlive its restart. One that is gone
 * for long shows in the log, and in the readiness of this replica.
 */
export async function retryUntilAvailable<T>(
  log: Logger,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  for (;;)
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, 'the event log could not be read; it is tried again');
      await sleep(retryMs, signal);
    }
}
