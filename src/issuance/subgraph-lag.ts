/** Allowance for block times that differ from our clock. */
export const clockSlackMs = 60_000;

/** An idle chain has no new blocks. Then the clock decides, after this many times `reconcileAfter`. */
const idleChainFactor = 5;

/**
 * Whether records of a request that was lost at `lost` may still appear on chain: until the subgraph is synced to
 * `reconcileAfter` (ms) past the loss, or, on an idle chain, until `now`, the database's time, is five times as long
 * past it.
 */
export function mayStillAppear(
  lost: Date,
  reconcileAfter: number,
  { now, indexedUntil }: { now: Date; indexedUntil: Date | undefined },
): boolean {
  const lostFor = (at: Date) => at.getTime() - lost.getTime();
  if (lostFor(now) < reconcileAfter) return true;
  if (indexedUntil && lostFor(indexedUntil) >= reconcileAfter) return false;
  return lostFor(now) < idleChainFactor * reconcileAfter;
}
