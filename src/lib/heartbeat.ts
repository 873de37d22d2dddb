/** Proxies cut a silent connection after 30 to 60 s; this is well below. */
const atMostMs = 12_000;
/**
 * Each connection has a time of its own. With the same one, all that were late together, as after a pause of the
 * process, would come due together ever after, and ten thousand of them stop everything else for a second.
 */
const spreadMs = 4_000;

/** Calls `beat` every 8 to 12 seconds until it is stopped. */
export function startHeartbeat(beat: () => void): { stop(): void } {
  const timer = setInterval(beat, atMostMs - Math.random() * spreadMs);
  return { stop: () => clearInterval(timer) };
}
