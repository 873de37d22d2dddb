import { inspect } from 'node:util';
import { StartError } from '@srr-gateway/common/start-error';
import { withoutValues } from '@srr-gateway/common/store-error';
import { stdSerializers } from 'pino';
import { ConfigError } from '../config/config.ts';
import { GatewayError } from '../model/errors.ts';

/** Ends a command that failed. Its fault is the last thing that is said, and the exit code is 1. */
export function endWith(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
}

/** A fault that nobody foresaw needs its stack; every other message says by itself what to do. */
function textOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError || error instanceof GatewayError)
    return error.message;
  return error instanceof Error ? withoutValues(stdSerializers.err(error)).stack : inspect(error);
}
