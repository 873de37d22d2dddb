/** How an upstream fares, as `Source` in the schema shows it. */
export interface Health {
  health: 'OK' | 'DEGRADED' | 'DOWN';
  /** Why it is not OK. */
  message?: string;
  /** The newest block that the index has. */
  block?: number;
  /** Seconds between that block's time and now. A quiet chain lags too. */
  lagSeconds?: number;
  hasIndexingErrors?: boolean;
}
