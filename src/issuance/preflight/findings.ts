import { type ErrorCode, type Fault, GatewayError } from '../../model/errors.ts';

/** Findings of one source about the entries. */
export interface Findings {
  /** A list for each entry, with paths below it. */
  faults: Fault[][];
  warnings: Fault[][];
  /** Findings about no single entry, with paths into the mutation's input. */
  ofAll: { faults: Fault[]; warnings: Fault[] };
}

export const nothingFound: Findings = { faults: [], warnings: [], ofAll: { faults: [], warnings: [] } };

/** Time limit of each source, because a person may be waiting at a form. A slower one is reported as not checked. */
const maxCheckMs = 5_000;

/**
 * Queries a source. Without an answer within five seconds it returns a warning that `what` could not be checked.
 * @throws When `signal` aborts.
 */
export async function orNotChecked<T>(
  what: string,
  ask: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<{ answer: T } | { warning: Fault }> {
  const deadline = AbortSignal.timeout(maxCheckMs);
  try {
    return { answer: await ask(signal ? AbortSignal.any([signal, deadline]) : deadline) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof GatewayError) return { warning: notChecked(what, error.code, error.message) };
    if (!deadline.aborted) throw error;
    return {
      warning: notChecked(what, 'UPSTREAM_TIMEOUT', `There was no answer in ${maxCheckMs / 1_000} seconds.`),
    };
  }
}

const notChecked = (what: string, code: ErrorCode, why: string): Fault => ({
  code,
  message: `${what} could not be checked: ${why}`,
  path: ['input', 'entries'],
});
