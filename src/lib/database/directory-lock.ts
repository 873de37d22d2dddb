import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes a directory for this process alone. The lock is the operating system's own (held through
 * SQLite), so it ends with the process however that dies, and needs no stale-lock guessing.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true });
  const holder = new DatabaseSync(join(directory, 'lock.sqlite'));
  try {
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    holder.close();
    throw new Error(
      `${directory} is in use by another process. Stop it, or set DATA_DIR to another directory` +
        ' (several processes can share a PostgreSQL by DATABASE_URL).',
      { cause },
    );
  }
  return () => holder.close();
}
