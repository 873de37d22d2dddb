import { createHash } from 'node:crypto';
import type { Logger } from '@srr-gateway/common/log';
import type { Faults } from '../faults/faults.ts';
import { magicFilenames, magicHashDelay } from '../faults/magic-values.ts';
import { cidOf } from '../ipfs/import.ts';
import type { Clock } from '../lib/clock.ts';
import { startWorkerPool, type WorkerPool } from '../lib/worker-pool.ts';
import type { Db } from '../store/tables.ts';
import type { Storage } from './storage.ts';

interface HasherOptions {
  db: Db;
  storage: Storage;
  faults: Faults;
  clock: Clock;
  log: Logger;
  /** Larger files get no hash and cid, as the document says. */
  hashLimitBytes: number;
  /** Delay after the upload; read at each poll, because it can be changed at run time. */
  delayMs(): number;
}

/** Hashing is CPU-bound, so more concurrency would only delay all files. */
const concurrency = 2;

/** Rows read at each poll: many, so that delayed files do not hide due ones behind them. */
const pollLimit = 1_000;

const never = Object.keys(magicFilenames).filter(
  (beginning) => magicHashDelay(beginning) === Number.POSITIVE_INFINITY,
);

/** Calculates the hash and CID of uploaded files some time after the upload, as the service does. */
export function startHasher(options: HasherOptions): WorkerPool {
  const { db, storage, clock, faults } = options;
  const extraDelays = new Map<string, number>();
  return startWorkerPool<{ id: string }>({
    name: 'hasher',
    log: options.log,
    concurrency,
    idOf: (file) => file.id,
    find: async (limit) => {
      const waiting = await db
        .selectFrom('stored_file')
        .select(['id', 'filename', 'uploaded_at'])
        .where('hash', 'is', null)
        .where('size', '<=', `${options.hashLimitBytes}`)
        .where((eb) => eb.and(never.map((beginning) => eb('filename', 'not like', `${beginning}%`))))
        .orderBy('uploaded_at')
        .limit(pollLimit)
        .execute();
      const since = clock.now() - options.delayMs();
      const due = waiting.map((file) => ({
        id: file.id,
        inMs: file.uploaded_at.getTime() + extraDelay(file) - since,
      }));
      const later = due.filter(({ inMs }) => inMs > 0).map(({ inMs }) => inMs);
      return {
        items: due.filter(({ inMs }) => inMs <= 0).slice(0, limit),
        nextInMs: later.length > 0 ? Math.min(...later) : undefined,
      };
    },
    run: async ({ id }) => {
      const hash = createHash('sha256');
      const cid = await cidOf(tap(storage.read(id), (chunk) => hash.update(chunk)));
      await db
        .updateTable('stored_file')
        .set({ hash: `sha256-${hash.digest('hex')}`, cid })
        .where('id', '=', id)
        .execute();
      extraDelays.delete(id);
    },
  });

  /**
   * The delay in ms that a fault or a magic filename adds. A fault
   * hits a file when it is first seen, or never.
   */
  function extraDelay({ id, filename }: { id: string; filename: string }): number {
    let extra = extraDelays.get(id);
    if (extra === undefined) {
      const fault = faults.consume('hash', (armed) => (armed.filename ?? filename) === filename);
      extra = magicHashDelay(filename) + (fault?.delayMs ?? 0);
      extraDelays.set(id, extra);
    }
    return extra;
  }
}

async function* tap(source: AsyncIterable<Uint8Array>, look: (chunk: Uint8Array) => void) {
  for await (const chunk of source) {
    look(chunk);
    yield chunk;
  }
}
