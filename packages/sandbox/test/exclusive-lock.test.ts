import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings, startSandbox } from '../src/start.ts';
import { startTestSandbox } from '../testing/sandbox.ts';

// The embedded database cannot be shared at all: its directory is locked.
describe.skipIf(process.env.TEST_DATABASE_URL === undefined)('a second sandbox on one database', () => {
  const cleanUp = new AsyncDisposableStack();
  afterAll(() => cleanUp.disposeAsync());

  it('is refused, with what to do, while the first one lives', async () => {
    const store = await testDatabase();
    cleanUp.defer(() => store.drop());
    const dataDir = await mkdtemp(join(tmpdir(), 'srr-second-'));
    cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }));
    const replica = await openDatabase({ url: store.url, dataDir: '' }, silent);
    cleanUp.defer(() => replica.close());
    const first = await startTestSandbox({ database: store.database });
    const settings = { ...readSettings({}), port: 0, rpcPort: 0 };
    const second = () => startSandbox({ settings, database: replica, dataDir, log: silent });
    await expect(second()).rejects.toThrow('DATABASE_URL: another sandbox uses this database');
    await first.stop();
    await (await second()).stop();
  });
});
