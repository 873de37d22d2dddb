/**
 * Why an operation ended that nobody waits for any more: its client closed the connection or completed the
 * operation.
 */
export class CallerLeft extends Error {
  constructor() {
    super('the caller left');
  }
}

/**
 * Whether an error only means that the caller left. A wait that was cut short has CallerLeft among its
 * causes.
 */
export function isOfCallerLeft(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof CallerLeft) return true;
  return false;
}
