/**
 * An address that takes longer is unhealthy. Less than the limit of the whole check in `sources`, which must still
 * report the other addresses.
 */
export const probeTimeoutMs = 4_000;

/** The result of an upstream's health check, as `Source` in the schema shows it. */
export interface Health {
  health: 'OK' | 'DEGRADED' | 'DOWN';
  /** What does not work, in words. Also with OK, when only a fallback address fails. */
  message?: string;
  /** The newest block that the subgraph has indexed. */
  block?: number;
  /** Seconds between that block's time and now. Also grows while an idle chain has no new blocks. */
  lagSeconds?: number;
  hasIndexingErrors?: boolean;
}

/** A system behind the gateway, and how to check its health. */
export interface SourceCheck {
  kind: 'COMMERCE' | 'SUBGRAPH' | 'IPFS' | 'STORE';
  /** Its host or kind, never a whole address, which may contain a key. */
  name: string;
  check(signal: AbortSignal): Promise<Health>;
}
