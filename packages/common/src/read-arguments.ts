import { type ParseArgsConfig, parseArgs } from 'node:util';
import { reasonOf, StartError } from './start-error.ts';

/** Reads the command line. @throws StartError that points to the help, for unknown arguments. */
export function readArguments<const Config extends ParseArgsConfig>(helpCommand: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new StartError(`${reasonOf(cause)} (${helpCommand})`, { cause });
  }
}
