import type { Health } from '../clients/health.ts';

export type SourceKind = 'COMMERCE' | 'SUBGRAPH' | 'IPFS' | 'STORE';

/** Something that stands behind the gateway, and how to ask for its health. */
export interface SourceCheck {
  kind: SourceKind;
  /** Its host, or what it is; never a whole address, which may hold a key. */
  name: string;
  check(signal: AbortSignal): Promise<Health>;
}

export type SourceChecks = SourceCheck[];
