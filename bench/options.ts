import type { ParseArgsConfig } from 'node:util';
import { readArguments } from '@srr-gateway/common/read-arguments';
import { exitWithError } from '../src/start/exit-with-error.ts';

/** The options of a bench. One that it does not know ends it with a line that says where they are explained. */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  command: string,
  options: Options,
) {
  try {
    return readArguments(`${command} -- --help`, { options, allowNegative: true }).values;
  } catch (error) {
    exitWithError(error);
  }
}
