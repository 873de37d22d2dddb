import type { Health } from '../../clients/health.ts';

export type SourceKind = 'COMMERCE' | 'SUBGRAPH' | 'IPFS' | 'STORE';

/** A system behind the gateway, and how to check its health. */
export interface SourceCheck {
  kind: SourceKind;
  /** Its host or kind, never a whole address, which may hold a key. */
  name: string;
  check(signal: AbortSignal): Promise<Health>;
}

export type SourceChecks = SourceCheck[];
