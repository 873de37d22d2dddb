/** The result of an upstream's health check, as `Source` in the schema shows it. */
export interface Health {
  health: 'OK' | 'DEGRADED' | 'DOWN';
  /** What does not work, for people. May be there with OK, when only a fallback address fails. */
  message?: string;
  /** The newest block that the subgraph has indexed. */
  block?: number;
  /** Seconds between that block's time and now. It grows on a quiet chain too. */
  lagSeconds?: number;
  hasIndexingErrors?: boolean;
}
