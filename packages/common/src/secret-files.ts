import { readFileSync } from 'node:fs';
import { fileFault } from './file-fault.ts';

type Env = Record<string, string | undefined>;

/** The variable that names a file with the secret `name`, as container engines mount secrets. */
export const fileVariable = <Name extends string>(name: Name): `${Name}_FILE` => `${name}_FILE`;

/**
 * The environment with the secrets `names` read from their files, for each `<name>_FILE` that is set. Adds a fault
 * to `faults` for each file that cannot be used. An empty variable counts as absent.
 */
export function withSecretFiles(env: Env, names: readonly string[], faults: string[]): Env {
  const found: Env = {};
  for (const name of names) {
    const variable = fileVariable(name);
    const path = env[variable];
    if (!path) continue;
    if (env[name]) faults.push(`${name}, ${variable}: set one of them, not both`);
    else found[name] = readSecret(variable, path, faults);
  }
  return { ...env, ...found };
}

function readSecret(variable: string, path: string, faults: string[]): string | undefined {
  try {
    // Some editors begin a file with a byte order mark, which this leaves out, and `echo` ends it with a newline.
    const secret = new TextDecoder().decode(readFileSync(path)).replace(/\r?\n$/, '');
    if (secret !== '') return secret;
    faults.push(`${variable}: ${path} is empty`);
  } catch (error) {
    faults.push(`${variable}: ${fileFault(path, error as NodeJS.ErrnoException, 'cannot be read')}`);
  }
  return undefined;
}

/** The variable to name in a fault of `name`: its file's, if the environment has only that. */
export const setBy = (env: Env, name: string): string =>
  !env[name] && env[fileVariable(name)] ? fileVariable(name) : name;
