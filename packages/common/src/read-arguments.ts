import { type ParseArgsConfig, parseArgs } from 'node:util';
import { reasonOf, StartError } from './start-error.ts';

/** What stands behind `command` on the command line; what it does not know is a fault that names its help. */
export function readArguments<const Config extends ParseArgsConfig>(command: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new StartError(`${reasonOf(cause)} (${command} -- --help)`, { cause });
  }
}
