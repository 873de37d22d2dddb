import { createHash } from 'node:crypto';
import type { Logger } from '../../lib/log.ts';
import type { Clock } from '../clock.ts';
import { cidOf } from '../ipfs/import.ts';
import type { Db } from '../store/tables.ts';
import { startWorkers, type Workers } from '../workers.ts';
import type { Storage } from './storage.ts';

export interface HasherOptions {
  db: Db;
  storage: Storage;
  clock: Clock;
  log: Logger;
  /** Files above it stay without hash and cid, as the document says. */
  hashLimitBytes: number;
  /** Asked at each look, because it can be changed at run time. */
  delayMs(): number;
}

/** Hashing is bound to a processor: more at once would only make all of them late. */
const concurrency = 2;

/** Calculates hash and CID of uploaded files, some time after the upload, as the service does. */
export function startHasher(options: HasherOptions): Workers {
  const { db, storage, clock } = options;
  return startWorkers<{ id: string }>({
    name: 'hasher',
    log: options.log,
    concurrency,
    idOf: (file) => file.id,
    find: async (limit) => {
      const waiting = await db
        .selectFrom('stored_file')
        .select(['id', 'uploaded_at'])
        .where('hash', 'is', null)
        .where('size', '<=', `${options.hashLimitBytes}`)
        .orderBy('uploaded_at')
        .limit(limit + 1)
        .execute();
      const since = clock.now() - options.delayMs();
      const dueIn = (file: { uploaded_at: Date }) => file.uploaded_at.getTime() - since;
      const items = waiting.filter((file) => dueIn(file) <= 0);
      const next = waiting.find((file) => dueIn(file) > 0);
      return { items, nextInMs: next && dueIn(next) };
    },
    run: async ({ id }) => {
      const hash = createHash('sha256');
      const cid = await cidOf(tap(storage.read(id), (chunk) => hash.update(chunk)));
      await db
        .updateTable('stored_file')
        .set({ hash: `sha256-${hash.digest('hex')}`, cid })
        .where('id', '=', id)
        .execute();
    },
  });
}

async function* tap(source: AsyncIterable<Uint8Array>, look: (chunk: Uint8Array) => void) {
  for await (const chunk of source) {
    look(chunk);
    yield chunk;
  }
}
