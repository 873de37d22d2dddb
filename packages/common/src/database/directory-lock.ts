import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from '../make-directory.ts';
import { reasonOf, StartError } from '../start-error.ts';

/**
 * Locks a directory for this process and returns the function that unlocks it. It is a file lock of the operating
 * system, taken through SQLite, which ends with the process, so it is never stale.
 * @throws StartError when another process has it, or the directory cannot be used.
 */
export function lockDirectory(directory: string): () => void {
  const holder = openLock(directory);
  try {
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    holder.close();
    throw new StartError(
      `${directory} is in use by another process. Stop that one. To start another beside it, set DATA_DIR to` +
        ' another directory (several gateways can share a PostgreSQL by DATABASE_URL).',
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
      `DATA_DIR: ${directory} cannot be used (${reasonOf(cause)}). Set it to a writable directory.`,
      { cause },
    );
  }
}
