import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from '../make-directory.ts';
import { reasonOf, StartError } from '../start-error.ts';

/**
 * Takes a directory for this process alone. The lock is the operating system's own (held through
 * SQLite), so it ends with the process however that dies, and needs no stale-lock guessing.
 */
export function lockDirectory(directory: string): () => void {
  const holder = openLock(directory);
  try {
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    holder.close();
    throw new StartError(
      `${directory} is in use by another process. Stop it, or set DATA_DIR to another directory` +
        ' (several processes can share a PostgreSQL by DATABASE_URL).',
      { cause },
    );
  }
  return () => holder.close();
}

function openLock(directory: string): DatabaseSync {
  try {
    makeDirectory(directory);
    return new DatabaseSync(join(directory, 'lock.sqlite'));
  } catch (cause) {
    throw new StartError(
      `DATA_DIR: ${directory} cannot be used (${reasonOf(cause)}). Set it to a directory that may be written.`,
      { cause },
    );
  }
}
