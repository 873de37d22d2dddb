import { inspect } from 'node:util';
import { redactDatabaseError } from '@srr-gateway/common/redact-database-error';
import { StartError } from '@srr-gateway/common/start-error';
import { stdSerializers } from 'pino';
import { ConfigError } from '../config/config.ts';
import { GatewayError } from '../model/errors.ts';

/** Ends a command that failed. Its fault is the last thing that is said, and the exit code is 1. */
export function exitWithError(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
}

/** A fault that nobody foresaw needs its stack; every other message says by itself what to do. */
function textOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError || error instanceof GatewayError)
    return error.message;
  return error instanceof Error ? redactDatabaseError(stdSerializers.err(error)).stack : inspect(error);
}
