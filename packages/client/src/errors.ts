import { type Circumstances, type Fault, GatewayError, NoAnswerError } from './gateway-error.ts';
import { errorClasses } from './generated/error-classes.ts';

/** Makes the error of a fault, in the class of its code. */
export function errorOf(fault: Fault, circumstances?: Circumstances): GatewayError {
  const code = fault.code ?? fault.extensions?.code ?? 'UNKNOWN_ERROR';
  const Class: new (fault: Fault & { code: never }, circumstances?: Circumstances) => GatewayError =
    Object.hasOwn(errorClasses, code) ? errorClasses[code as keyof typeof errorClasses] : GatewayError;
  return new Class({ ...fault, code: code as never }, circumstances);
}

/** Throws if a mutation was refused: the error of the first fault, with all of them in `all`. */
export function throwIfRefused(userErrors: readonly Fault[], requestId: string | undefined): void {
  const all = userErrors.map((fault) => errorOf(fault, { requestId }));
  if (!all[0]) return;
  all[0].all = all;
  throw all[0];
}

const transientCodes = new Set(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'RATE_LIMITED']);

/** Whether a read may be retried; see "Handle errors" in docs/clients.md. */
export const isTransient = (error: unknown): error is GatewayError =>
  error instanceof NoAnswerError || (error instanceof GatewayError && transientCodes.has(error.code));

/**
 * Whether the outcome of a mutation is unknown, so that it may be repeated with its `requestId`; see
 * docs/guarantees.md.
 */
export const hasUnknownOutcome = (error: unknown): error is GatewayError =>
  isTransient(error) ||
  (error instanceof GatewayError && /^(UPSTREAM_BAD_RESPONSE|UNKNOWN_ERROR)$/.test(error.code));
