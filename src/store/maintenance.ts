import type { Logger } from '@srr-gateway/common/log';
import { startInterval } from '../lib/interval.ts';
import { fromNow, now } from './database-time.ts';
import type { Db } from './tables.ts';

/** Claims a maintenance task if it is due: in each `everyMs` one replica gets true. */
async function claimTask(db: Db, name: string, everyMs: number): Promise<boolean> {
  const next = fromNow(everyMs);
  const claimed = await db
    .insertInto('chore')
    .values({ name, next_at: next })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ next_at: next }).where('chore.next_at', '<=', now),
    )
    .returning('name')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Starts a recurring task. Each run is done by whichever replica claims it first. */
export function startTask(
  { db, log }: { db: Db; log: Logger },
  name: string,
  everyMs: number,
  run: (signal: AbortSignal) => Promise<void>,
): { stop(): Promise<void> } {
  return startInterval(everyMs, async (signal) => {
    try {
      if (await claimTask(db, name, everyMs)) await run(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, task: name }, 'a maintenance task failed; it runs again');
    }
  });
}

/** Repeats a statement that handles at most `rowsAtOnce` rows and returns them, until no more are left. */
export async function repeatUntilDone(
  rowsAtOnce: number,
  signal: AbortSignal,
  statement: () => Promise<{ rows: unknown[] }>,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await statement();
    if (rows.length < rowsAtOnce) return;
  }
}
