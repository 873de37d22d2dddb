import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it. Step by step: the platform's own way never ends where a file system
 * (/proc) takes none.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been quicker.
    if (!isDirectory(path)) throw error;
  }
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
