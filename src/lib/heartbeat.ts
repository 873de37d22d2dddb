/** Proxies cut a silent connection after 30 to 60 s; this is well below. */
const atMostMs = 12_000;
/**
 * Jitter of each connection. Without it, connections that were delayed together, as by a pause of the process, would
 * stay in step, and ten thousand of them block everything else for a second.
 */
const spreadMs = 4_000;

/** Calls `beat` every 8 to 12 seconds until it is stopped. */
export function startHeartbeat(beat: () => void): { stop(): void } {
  const timer = setInterval(beat, atMostMs - Math.random() * spreadMs);
  return { stop: () => clearInterval(timer) };
}
