import { readFileSync } from 'node:fs';

/**
 * Reads the JSON file that the variable `name` names. If it cannot be used, adds a fault and returns
 * undefined.
 */
export function readJsonFile(name: string, path: string, faults: string[]): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    faults.push(`${name}: ${path} ${whyNot(error as NodeJS.ErrnoException)}`);
    return undefined;
  }
}

function whyNot({ code }: NodeJS.ErrnoException): string {
  // The parser's own message would quote the file, which may have keys.
  if (code === undefined) return 'is not JSON';
  return reasons[code] ?? `cannot be read (${code})`;
}

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory; name a file in it',
  EACCES: 'cannot be read by the user that runs the gateway',
};
