import { ConfigError, loadConfig } from '../../src/config/config.ts';

/** The faults of these environment variables. */
export function faultsOf(variables: Record<string, string>): string[] {
  try {
    loadConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
