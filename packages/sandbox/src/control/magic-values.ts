import type { FailureKind } from '../chain/failure.ts';

/** What an externalId that begins with a magic value makes happen to its record. */
export interface Magic {
  /** The first attempts to mine it fail. */
  mining?: { failure: FailureKind; attempts: number };
  webhook?: { effect: 'drop' | 'double' | 'late' | 'reorder'; delayMs: number };
  /** To the first request that brings it; a repetition is answered as usual. */
  response?: { when: 'before' | 'after'; effect: 'drop' | '502' | 'late'; delayMs: number };
  publishing?: { delayMs: number };
}

const ever = Number.POSITIVE_INFINITY;
/** Enough to be retried more than once, and well below the attempts that the service makes. */
const passing = 2;
/** Long enough to look at, short enough to wait for. */
const lateMs = 5_000;
/** Longer than clients wait for an answer. */
const beyondTimeoutMs = 60_000;

/** In the order of the table in docs/faults.md. An externalId has at most one: its beginning. */
export const magicExternalIds: Readonly<Record<string, Magic>> = {
  'fail-out-of-funds-': { mining: { failure: 'outOfFunds', attempts: ever } },
  'fail-nonce-': { mining: { failure: 'nonce', attempts: ever } },
  'fail-underpriced-': { mining: { failure: 'underpriced', attempts: ever } },
  'fail-gas-over-allowance-': { mining: { failure: 'gasAllowance', attempts: ever } },
  'retry-out-of-funds-': { mining: { failure: 'outOfFunds', attempts: passing } },
  'retry-nonce-': { mining: { failure: 'nonce', attempts: passing } },
  'retry-underpriced-': { mining: { failure: 'underpriced', attempts: passing } },
  'lose-webhook-': { webhook: { effect: 'drop', delayMs: 0 } },
  'double-webhook-': { webhook: { effect: 'double', delayMs: 0 } },
  'late-webhook-': { webhook: { effect: 'late', delayMs: lateMs } },
  'reorder-webhook-': { webhook: { effect: 'reorder', delayMs: lateMs } },
  'drop-request-': { response: { when: 'before', effect: 'drop', delayMs: 0 } },
  'drop-response-': { response: { when: 'after', effect: 'drop', delayMs: 0 } },
  'bad-gateway-before-': { response: { when: 'before', effect: '502', delayMs: 0 } },
  'bad-gateway-after-': { response: { when: 'after', effect: '502', delayMs: 0 } },
  'late-response-': { response: { when: 'after', effect: 'late', delayMs: beyondTimeoutMs } },
  'in-progress-': { publishing: { delayMs: lateMs } },
};

/** How much later than others a file's hash and cid are calculated, by the beginning of its name. */
export const magicFilenames: Readonly<Record<string, { hashDelayMs: number }>> = {
  'slow-hash-': { hashDelayMs: 10_000 },
  'never-hash-': { hashDelayMs: ever },
};

export function magicOf(externalId: string): Magic {
  return beginning(magicExternalIds, externalId) ?? {};
}

/** Milliseconds; infinite for a file that never becomes ready. */
export function magicHashDelay(filename: string): number {
  return beginning(magicFilenames, filename)?.hashDelayMs ?? 0;
}

function beginning<T>(table: Readonly<Record<string, T>>, text: string): T | undefined {
  return Object.entries(table).find(([value]) => text.startsWith(value))?.[1];
}
