import { inspect } from 'node:util';
import { redactDatabaseError } from '@srr-gateway/common/redact-database-error';
import { StartError } from '@srr-gateway/common/start-error';
import { stdSerializers } from 'pino';
import { ConfigError } from '../config/config.ts';
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
  return error instanceof Error ? redactDatabaseError(stdSerializers.err(error)).stack : inspect(error);
}
