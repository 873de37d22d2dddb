import { randomUUID } from 'node:crypto';
import { silent } from '@srr-gateway/common/testing/database';
import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchChain } from '../../src/issuance/recover/chain-watch.ts';
import type { RecordKey } from '../../src/model/record.ts';
import { countedStatements } from '../_util/counted-statements.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';
import { tablesOf } from '../_util/tables.ts';

const pollOptions = { timeout: 30_000, interval: 100 };
const timestamp = /^\d{4}-/;

async function issued(gateway: TestGateway, name: string): Promise<string> {
  const upload = await gateway.caller.upload(`${name}.png`, 'NON_ATTACHMENT_FILE', name);
  const id = await issue(gateway.caller, { entries: [entry(gateway.info, name, { upload })] });
  expect((await finalOutcome(gateway.caller, id)).status).toBe('COMPLETED');
  return id;
}

const removedAt = async (gateway: TestGateway, id: string) =>
  (await outcomeOf(gateway.caller, id)).entries[0]?.removedAt;

describe('a record that a reorganisation removes', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    // Within this time a record is checked thirty times: every half second.
    gateway = await startTestGateway({ env: { REORG_WATCH: '15' } });
  });
  afterAll(() => gateway.stop());

  it('is marked as removed, also in the history, and keeps its status', async () => {
    const name = `lost-${randomUUID()}`;
    const id = await issued(gateway, name);
    const indexedAt = () =>
      tablesOf(gateway.database)
        .selectFrom('issuance_entry')
        .select('indexed_at_block')
        .where('external_id', '=', name)
        .executeTakeFirst();
    await expect.poll(async () => (await indexedAt())?.indexed_at_block, pollOptions).not.toBeNull();

    await control(gateway.sandbox.sandbox, 'reorg', { depth: 1, records: 'lost' });
    await expect.poll(() => removedAt(gateway, id), pollOptions).toMatch(timestamp);
    const { status, entries, history } = await outcomeOf(gateway.caller, id);
    expect([status, entries[0]?.status]).toEqual(['COMPLETED', 'ISSUED']);
    expect(history.at(-1)?.reason).toContain(
      `record "${name}" was removed from the chain by a reorganisation`,
    );
  });
});

describe('the watch over mined records', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    // The gateway's own watch first runs in a minute. The tests run it, with a scripted subgraph.
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  it('marks a record that is missing at a newer block, and clears the mark when it is back', async () => {
    const name = `watched-${randomUUID()}`;
    const id = await issued(gateway, name);
    const db = tablesOf(gateway.database);
    const watchAt = (block: number, isIndexed: boolean) =>
      watchChain(
        {
          db,
          log: silent,
          timeouts: { reorgWatch: 60_000 },
          mintedOf: async (tokens) => ({ block, minted: isIndexed ? tokens : [] }),
        },
        AbortSignal.timeout(10_000),
      );
    const marks = [];
    for (const [block, isIndexed] of [
      [10, false], // not indexed yet
      [11, true],
      [10, false], // a subgraph on its way through a reorganisation
      [11, false],
      [12, false],
      [13, true],
      [12, false],
      [13, false],
    ] as const) {
      await watchAt(block, isIndexed);
      marks.push(await removedAt(gateway, id));
    }
    expect(marks).toEqual([
      null,
      null,
      null,
      expect.stringMatching(timestamp),
      marks[3],
      null,
      null,
      expect.stringMatching(timestamp),
    ]);
    const { history } = await outcomeOf(gateway.caller, id);
    expect(history.map(({ reason }) => reason).filter((reason) => reason.startsWith('record'))).toEqual([
      `record "${name}" was removed from the chain by a reorganisation (block 11)`,
      `record "${name}" is on the chain again (block 13)`,
      `record "${name}" was removed from the chain by a reorganisation (block 13)`,
    ]);
  });

  // PGlite has one connection, so no other transaction can hold a lock while the watch runs.
  it.runIf(process.env.TEST_DATABASE_URL)(
    'skips a locked entry until the next run, because waiting could deadlock',
    async () => {
      const db = tablesOf(gateway.database);
      const id = await storeIssuance(db, gateway.issuer.address, {
        issuance: { status: 'COMPLETED' },
        batch: { status: 'ACCEPTED' },
        entries: ['20000000', '20000001'].map((token) => ({
          external_id: token,
          status: 'ISSUED',
          token_id: token,
        })),
      });
      const heights = async () => {
        const mintedOf = async (minted: RecordKey[]) => ({ block: 30, minted });
        const deps = { db, log: silent, timeouts: { reorgWatch: 60_000 }, mintedOf };
        await watchChain(deps, AbortSignal.timeout(10_000));
        const entries = db.selectFrom('issuance_entry').where('issuance_id', '=', id).orderBy('index');
        return (await entries.select('indexed_at_block').execute()).map((entry) => entry.indexed_at_block);
      };
      await db.transaction().execute(async (writing) => {
        await writing
          .selectFrom('issuance_entry')
          .select('index')
          .where('issuance_id', '=', id)
          .where('index', '=', 0)
          .forUpdate()
          .execute();
        expect(await heights()).toEqual([null, '30']);
      });
      expect(await heights()).toEqual(['30', '30']);
    },
  );

  it('marks all removed records in one statement', async () => {
    const { database, statements } = countedStatements(gateway.database);
    const tokens = Array.from({ length: 500 }, (_, n) => `${30_000_000 + n}`);
    const id = await storeIssuance(tablesOf(gateway.database), gateway.issuer.address, {
      issuance: { status: 'COMPLETED' },
      batch: { status: 'ACCEPTED' },
      entries: tokens.map((token) => ({
        external_id: token,
        status: 'ISSUED',
        token_id: token,
        indexed_at_block: '40',
      })),
    });
    const lost = new Set(tokens);
    await watchChain(
      {
        db: tablesOf(database),
        log: silent,
        timeouts: { reorgWatch: 60_000 },
        mintedOf: async (keys) => ({ block: 41, minted: keys.filter(({ tokenId }) => !lost.has(tokenId)) }),
      },
      AbortSignal.timeout(30_000),
    );
    const history = tablesOf(gateway.database).selectFrom('issuance_history').where('issuance_id', '=', id);
    expect((await history.select('reason').orderBy('id').execute()).map(({ reason }) => reason)).toEqual(
      tokens.map((token) => `record "${token}" was removed from the chain by a reorganisation (block 41)`),
    );
    expect(statements.length, statements.join('\n')).toBeLessThan(20);
  });

  it('checks more records than one request to the subgraph may name', async () => {
    // The pages have the records of other tests too, and a retry finds those of the first run.
    await tablesOf(gateway.database).deleteFrom('issuance').execute();
    const tokens = Array.from({ length: 1_001 }, (_, n) => `${10_000_000 + n}`);
    await storeIssuance(tablesOf(gateway.database), gateway.issuer.address, {
      issuance: { status: 'COMPLETED' },
      batch: { status: 'ACCEPTED' },
      entries: tokens.map((token) => ({ external_id: token, status: 'ISSUED', token_id: token })),
    });
    const pages: string[][] = [];
    await watchChain(
      {
        db: tablesOf(gateway.database),
        log: silent,
        timeouts: { reorgWatch: 60_000 },
        mintedOf: async (keys) => {
          pages.push(keys.map(({ tokenId }) => tokenId));
          return { block: 20, minted: keys };
        },
      },
      AbortSignal.timeout(30_000),
    );
    expect(pages.length).toBe(2);
    expect(Math.max(...pages.map((page) => page.length))).toBe(1_000);
    expect(
      pages
        .flat()
        .filter((token) => tokens.includes(token))
        .toSorted(),
    ).toEqual(tokens);
  });
});
