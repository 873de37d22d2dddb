import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { sleep } from '@srr-gateway/common/time';

/** Pause between attempts: a restart of the database takes a second or more. */
const retryMs = 250;

/**
 * Repeats a read until the database answers, so that subscriptions survive its restart. Log lines and the
 * readiness of this replica show a longer outage.
 * @throws When `signal` aborts.
 */
export async function retryUntilAvailable<T>(
  log: Logger,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  const outage = new OutageLog(log, 'the event log could not be read; trying again');
  for (;;)
    try {
      const result = await read();
      outage.succeeded();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      outage.failed(error);
      await sleep(retryMs, signal);
    }
}
