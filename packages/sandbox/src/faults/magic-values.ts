import type { FailureKind } from '../chain/failure.ts';

/** The faults that a magic value causes, for a record whose externalId begins with it. */
interface Magic {
  /** The first attempts to mine it fail. */
  mining?: { failure: FailureKind; attempts: number };
  webhook?: { effect: 'drop' | 'double' | 'late' | 'reorder'; delayMs: number };
  /** Hits the first request with this externalId; a repeated request is answered as usual. */
  response?: { when: 'before' | 'after'; effect: 'drop' | '502' | 'late'; delayMs: number };
  /** Delays the publication of the files; a repeated request is answered `in_progress` meanwhile. */
  publishing?: { delayMs: number };
}

const ever = Number.POSITIVE_INFINITY;
/** Enough for two retries, and well below the service's five attempts (the default of `miningAttempts`). */
const passing = 2;
/** Long enough to watch, short enough to wait for. */
const lateMs = 5_000;
/** Longer than clients wait for a response. */
const beyondTimeoutMs = 60_000;

/** In the order of the table in docs/faults.md. The beginning of an externalId matches at most one. */
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

/** The extra delay of a file's hash and cid, by the beginning of its filename. */
export const magicFilenames: Readonly<Record<string, { hashDelayMs: number }>> = {
  'slow-hash-': { hashDelayMs: 10_000 },
  'never-hash-': { hashDelayMs: ever },
};

/** The faults of an externalId; empty when it begins with no magic value. */
export function magicOf(externalId: string): Magic {
  return beginning(magicExternalIds, externalId) ?? {};
}

/** The extra delay of a file's hash and cid in ms; infinite for a file that never becomes ready. */
export function magicHashDelay(filename: string): number {
  return beginning(magicFilenames, filename)?.hashDelayMs ?? 0;
}

function beginning<T>(table: Readonly<Record<string, T>>, text: string): T | undefined {
  return Object.entries(table).find(([value]) => text.startsWith(value))?.[1];
}
