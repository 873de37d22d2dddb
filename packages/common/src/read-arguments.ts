import { type ParseArgsConfig, parseArgs } from 'node:util';
import { reasonOf, StartError } from './start-error.ts';

/** Reads the command line of `command`. @throws StartError that points to its help, for unknown arguments. */
export function readArguments<const Config extends ParseArgsConfig>(command: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new StartError(`${reasonOf(cause)} (${command} -- --help)`, { cause });
  }
}
