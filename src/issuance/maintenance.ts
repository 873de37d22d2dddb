import { startInterval } from '../lib/interval.ts';
import { claimChore } from '../store/chores.ts';
import { watchChain } from './chain-watch.ts';
import type { FlowDeps } from './flow.ts';
import { dropOldDetails } from './retention.ts';
import { watchFailed } from './watch-failed.ts';

/** A record is looked at so many times while it may still be reorganised away. */
const looks = 30;
/** So many times the chain is asked for a failed record; a correction within half a minute of the index is soon enough. */
const failedLooks = 120;
/** A short watch, as in tests, is no reason to ask all the time. */
const leastMs = 250;
/** Details are kept for days: an hour more is no matter. */
const dropEveryMs = 3_600_000;

/** What is done now and then, by whichever replica comes first. */
export function startMaintenance(deps: FlowDeps): { stop(): Promise<void> } {
  const chore = (
    name: string,
    everyMs: number,
    run: (deps: FlowDeps, signal: AbortSignal) => Promise<void>,
  ) =>
    startInterval(everyMs, async (signal) => {
      try {
        if (await claimChore(deps.db, name, everyMs)) await run(deps, signal);
      } catch (error) {
        if (!signal.aborted)
          deps.log.warn({ err: error, chore: name }, 'a chore failed; it comes round again');
      }
    });
  const chores = [
    chore('watch-chain', deps.timeouts.reorgWatch / looks, watchChain),
    chore('watch-failed', Math.max(leastMs, deps.timeouts.failureWatch / failedLooks), watchFailed),
    chore('drop-old-details', dropEveryMs, dropOldDetails),
  ];
  return {
    stop: async () => {
      await Promise.all(chores.map((one) => one.stop()));
    },
  };
}
