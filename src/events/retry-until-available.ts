import type { Logger } from '@srr-gateway/common/log';
import { sleep } from '@srr-gateway/common/time';

/** Pause before the database is asked again: it may only be restarting. */
const retryMs = 250;

/**
 * Repeats a read until the database answers, so that subscriptions survive its restart. A longer outage shows
 * in the log and in the readiness of this replica.
 * @throws When `signal` aborts.
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
