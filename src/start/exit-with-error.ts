import { inspect } from 'node:util';
import { redactDatabaseError } from '@srr-gateway/common/redact-database-error';
import { reasonOf, StartError } from '@srr-gateway/common/start-error';
import { stdSerializers } from 'pino';
import { ConfigError } from '../config/config.ts';
import { databaseUnavailable } from '../lib/database-unavailable.ts';
import { GatewayError } from '../model/errors.ts';

/** Ends a failed command with its error as the last output, and with exit code 1 unless it is told another. */
export function exitWithError(error: unknown, code = 1): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(code);
}

/** The stack is for unexpected errors only. The messages of the others say what to do. */
function textOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError || error instanceof GatewayError)
    return error.message;
  // The first connection was made, or a StartError would say what is wrong with the address.
  if (databaseUnavailable(error))
    return `The database became unavailable (${reasonOf(error)}). Check that it is up, and that it permits DATABASE_POOL + 1 connections.`;
  return error instanceof Error ? redactDatabaseError(stdSerializers.err(error)).stack : inspect(error);
}
