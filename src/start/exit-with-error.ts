import { inspect } from 'node:util';
import { ArgumentError } from '@srr-gateway/common/read-arguments';
import { redactDatabaseError } from '@srr-gateway/common/redact-database-error';
import { StartError } from '@srr-gateway/common/start-error';
import { stdSerializers } from 'pino';
import { ConfigError } from '../config/config.ts';
import { GatewayError } from '../model/errors.ts';

/** Ends a failed command with its error as the last output, and with exit code 1; 2 for wrong arguments, as srr. */
export function exitWithError(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(error instanceof ArgumentError ? 2 : 1);
}

/** The stack is for unexpected errors only. The messages of the others say what to do. */
function textOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError || error instanceof GatewayError)
    return error.message;
  return error instanceof Error ? redactDatabaseError(stdSerializers.err(error)).stack : inspect(error);
}
