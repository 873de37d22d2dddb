import { startInterval } from '../lib/interval.ts';
import { claimChore } from '../store/chores.ts';
import { watchChain } from './chain-watch.ts';
import type { FlowDeps } from './flow.ts';
import { dropOldDetails } from './retention.ts';
import { watchFailed } from './watch-failed.ts';

/** How many times a record is looked at while it may still be reorganised away. */
const looks = 30;
/**
 * How many times the subgraph is asked for a failed record: twice a minute in the hour that is the default,
 * which is soon enough for a correction.
 */
const failedLooks = 120;
/** Lower limit, so that a short watch as in tests does not ask all the time. */
const leastMs = 250;
/** Details are kept for days, so an hour more does not matter. */
const dropEveryMs = 3_600_000;

/** Starts the recurring tasks. Each run is done by whichever replica claims it first. */
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
