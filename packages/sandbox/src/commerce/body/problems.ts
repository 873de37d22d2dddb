/** Most problems of one body: without a limit the answer could become larger than the request. */
const mostProblems = 1_000;

class TooManyProblems extends Error {}

/** Collects the rules that a request breaks: the service reports them together, as an array. */
export class Problems {
  readonly found: string[] = [];

  /** Adds a problem. The thousandth ends the check. */
  add(problem: string): void {
    this.found.push(problem);
    if (this.found.length === mostProblems) throw new TooManyProblems();
  }
}

/** Runs a check and gives its problems, at most a thousand; `value` is its result when it ran to its end. */
export function collectProblems<T>(check: (problems: Problems) => T): { found: string[]; value?: T } {
  const problems = new Problems();
  try {
    return { value: check(problems), found: problems.found };
  } catch (error) {
    if (error instanceof TooManyProblems) return { found: problems.found };
    throw error;
  }
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
