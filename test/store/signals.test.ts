import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RowWorker } from '../../src/store/row-worker.ts';
import { Signals } from '../../src/store/signals.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { project } from '../_util/gateway-process.ts';

let test: Awaited<ReturnType<typeof testDatabase>>;
/** Two replicas. On the embedded database they share its handle. */
let one: Store;
let two: Store;
const running = new AsyncDisposableStack();

beforeAll(async () => {
  test = await testDatabase();
  running.defer(() => test.drop());
  const own = test.url ? await openDatabase({ url: test.url, dataDir: '' }, silent) : undefined;
  running.defer(async () => own?.close());
  one = await openStore(test.database);
  running.defer(() => one.close());
  two = await openStore(own ?? test.database);
  running.defer(() => two.close());
});
afterAll(() => running.disposeAsync());

/** Counts the wake-ups of a key in a replica. */
function wakeUps(store: Store, key: string): () => number {
  let count = 0;
  store.signals.on('events', key, () => count++);
  return () => count;
}

describe('a signal', () => {
  it('wakes both replicas once after the commit, and neither after a rollback', async () => {
    const [here, there] = [wakeUps(one, 'a'), wakeUps(two, 'a')];
    const work = (fails: boolean) =>
      one.db.transaction().execute(async (trx) => {
        await Signals.send(trx, 'events', 'a');
        if (fails) throw new Error('undo');
      });
    await expect(work(true)).rejects.toThrow('undo');
    await work(false);
    expect(here()).toBe(1);
    await expect.poll(there).toBe(1);
    // Signals arrive in order: after this one, none of the first can still be under way.
    await work(false);
    await expect.poll(there).toBe(2);
    expect(here()).toBe(2);
  });

  it('outside a transaction wakes both replicas too', async () => {
    const [here, there] = [wakeUps(one, 'b'), wakeUps(two, 'b')];
    await Signals.send(two.db, 'events', 'b');
    await expect.poll(() => [here(), there()]).toEqual([1, 1]);
  });
});

// An embedded database has only one process, which looks for due work when it starts.
describe.skipIf(process.env.TEST_DATABASE_URL === undefined)(
  'a row that another replica made due before it died',
  () => {
    /** The time until this replica works on a row of another process, and whether it received the signal. */
    async function taken(fate: string): Promise<{ tookMs: number; signalled: boolean }> {
      let signalled = false;
      const off = one.signals.on('due', 'issuance', () => {
        signalled = true;
      });
      const found = Promise.withResolvers<number>();
      const worker = new RowWorker<'issuance'>({
        db: one.db,
        signals: one.signals,
        log: silent,
        table: 'issuance',
        alone: false,
        concurrency: 1,
        perIssuer: 1,
        step: async () => {
          found.resolve(performance.now());
          return 'final';
        },
        context: () => ({}),
        checkpoint: () => {},
      });
      await worker.start();
      const child = spawn(
        process.execPath,
        ['test/_util/killed-before-signal.ts', test.url as string, fate],
        {
          cwd: project,
          stdio: 'inherit',
        },
      );
      const [code, signal] = await once(child, 'exit');
      const endedAt = performance.now();
      expect([code, signal]).toEqual(fate === 'survive' ? [0, null] : [null, 'SIGKILL']);
      const tookMs = (await found.promise) - endedAt;
      await worker.stop(1_000);
      off();
      return { tookMs, signalled };
    }

    it('is found by polling when the replica died before the signal', async () => {
      const { tookMs, signalled } = await taken('dies');
      expect(signalled).toBe(false);
      // The worker polls every two seconds.
      expect(tookMs).toBeLessThan(4_000);
    });

    it('is signalled when the replica died after the signal', async () => {
      expect((await taken('survive')).signalled).toBe(true);
    });
  },
);
