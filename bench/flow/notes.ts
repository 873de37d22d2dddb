/** What the gateway's process tells of itself, a JSON line each. Times are nanoseconds of the shared clock. */
export type Note =
  | { kind: 'call'; issuance: string; path: string; from: string; to: string }
  | { kind: 'outcome'; issuance: string; at: string }
  | { kind: 'memory'; rss: number; heapUsed: number; external: number; loopDelayMs: number };

export type MemoryNote = Extract<Note, { kind: 'memory' }>;

/** One issuance as its client saw it: the mutation sent, COMPLETED heard. */
export interface Seen {
  issuance: string;
  sentAt: bigint;
  completedAt: bigint;
}
