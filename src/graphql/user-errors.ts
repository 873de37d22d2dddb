import { type Fault, GatewayError } from '../model/errors.ts';

/**
 * Runs a mutation and gives its faults as data: those of the input, and those of a system behind the
 * gateway, because the caller must act on either. A bug stays an error and is masked.
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
