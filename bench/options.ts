import type { ParseArgsConfig } from 'node:util';
import { readArguments } from '@srr-gateway/common/read-arguments';
import { exitWithError } from '../src/start/exit-with-error.ts';

/** Parses the options of a bench. An unknown one ends the process with a line that says how to list them. */
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
