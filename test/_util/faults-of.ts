import { ConfigError, loadConfig } from '../../src/config/config.ts';

/** What is wrong with these environment variables. */
export function faultsOf(variables: Record<string, string>): string[] {
  try {
    loadConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
