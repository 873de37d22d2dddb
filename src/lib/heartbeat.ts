/** Proxies cut a silent connection after 30 to 60 s; this is well below. */
const maxMs = 12_000;
/**
 * Each connection has an interval of its own. With a common one, all that are late together after a pause of the
 * process would stay together for ever, and ten thousand heartbeats at once block everything else for a second.
 */
const spreadMs = 4_000;

/** Calls `beat` every 8 to 12 seconds until it is stopped. */
export function startHeartbeat(beat: () => void): { stop(): void } {
  const timer = setInterval(beat, maxMs - Math.random() * spreadMs);
  return { stop: () => clearInterval(timer) };
}
