import { type Fault, GatewayError } from '../../model/errors.ts';

/**
 * Runs a mutation and returns its faults as data, those of the input and of upstreams. Other errors are bugs:
 * they are thrown, and masked.
 */
export async function orUserErrors<Result extends object, Empty extends object>(
  run: () => Promise<Result>,
  empty: Empty,
): Promise<(Result | Empty) & { userErrors: readonly Fault[] }> {
  try {
    return { ...(await run()), userErrors: [] };
  } catch (error) {
    if (error instanceof GatewayError) return { ...empty, userErrors: error.faults };
    throw error;
  }
}
