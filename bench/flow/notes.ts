/**
 * A measurement that the gateway's process writes as a line of JSON. Times are nanoseconds of the shared
 * clock.
 */
export type Note =
  | { kind: 'call'; issuance: string; path: string; from: string; to: string }
  | { kind: 'stored' | 'leased' | 'outcome'; issuance: string; at: string }
  | ProcessNote;

export interface ProcessNote {
  kind: 'process';
  /** Bytes. */
  rss: number;
  heapUsed: number;
  external: number;
  /** The 99th percentile since the last note. */
  loopDelayMs: number;
  /** Processor time of the whole process since its start. */
  cpuMs: number;
}

/** The times at which a client sent the mutation of an issuance and received COMPLETED. */
export interface Seen {
  issuance: string;
  sentAt: bigint;
  completedAt: bigint;
}
