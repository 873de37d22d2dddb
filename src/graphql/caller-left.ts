/** Why an operation ended that nobody waits for any more: its client closed the connection, or completed it. */
export class CallerLeft extends Error {
  constructor() {
    super('the caller left');
  }
}

/** Whether an error is only the end of work for a caller who left; a wait that was cut short has it as its cause. */
export function isOfCallerLeft(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof CallerLeft) return true;
  return false;
}
