import { type ParseArgsConfig, parseArgs } from 'node:util';
import { reasonOf, StartError } from './start-error.ts';

/** The command line cannot be used. Nothing was done. */
export class ArgumentError extends StartError {}

/** Reads the command line. @throws ArgumentError that points to the help, for unknown arguments. */
export function readArguments<const Config extends ParseArgsConfig>(helpCommand: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new ArgumentError(`${reasonOf(cause)} (${helpCommand})`, { cause });
  }
}
