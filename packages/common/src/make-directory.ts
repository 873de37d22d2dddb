import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and its parents, if they are missing. It goes step by step because Node's recursive mkdir
 * never ends where a file system (/proc) allows no directory. @throws the file system's error.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it first.
    if (!isDirectory(path)) throw error;
  }
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
