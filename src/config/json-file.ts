import { readFileSync } from 'node:fs';

/**
 * Reads the JSON file that the variable `name` points to. Undefined, with one more fault, when it cannot be
 * used.
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
  // The parser's own message would quote the file, which may hold keys.
  if (code === undefined) return 'is no JSON';
  return reasons[code] ?? `cannot be read (${code})`;
}

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory; name a file in it',
  EACCES: 'may not be read by the user that runs this',
};
