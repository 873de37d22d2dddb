import { randomBytes } from 'node:crypto';
import type { Database } from '@srr-gateway/common/database/database';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { missing } from '@srr-gateway/common/testing/debian-server';
import { type Pooler, startPgBouncer } from '@srr-gateway/common/testing/pgbouncer';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Signals } from '../../src/store/signals.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { capturedLog } from '../_util/captured-log.ts';
import { entry } from '../_util/entries.ts';
import { gatewayProcess } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { finalOutcome, issue } from '../_util/issuances.ts';

const server = process.env.TEST_DATABASE_URL;
const hint = server ? missing('pgbouncer') : ' (skipped: TEST_DATABASE_URL is not set)';

describe.skipIf(hint)(`behind PgBouncer in transaction mode${hint}`, () => {
  const running = new AsyncDisposableStack();
  let pooler: Pooler;

  beforeAll(async () => {
    pooler = await startPgBouncer(server as string);
    running.defer(() => pooler.stop());
  });
  afterAll(() => running.disposeAsync());

  async function emptyDatabase(): Promise<{ pooled: string; direct: string }> {
    const { url, drop } = await testDatabase();
    running.defer(drop);
    return { direct: url as string, pooled: pooler.through(url as string) };
  }

  async function open(url: string, directUrl?: string, log = silent): Promise<[Store, Database]> {
    const database = await openDatabase({ url, directUrl, dataDir: '' }, log);
    running.defer(() => database.close());
    const store = await openStore(database);
    running.defer(() => store.close());
    return [store, database];
  }

  const wakeUps = ({ signals }: Store): (() => number) => {
    let count = 0;
    signals.on('events', 'x', () => count++);
    return () => count;
  };

  it('replicas that start together migrate once, leave no lock, and signal each other', async () => {
    const { pooled, direct } = await emptyDatabase();
    const stores = await Promise.all([1, 2, 3, 4, 5].map(() => open(pooled, direct)));
    const [one, two] = stores.map(([store]) => store) as [Store, Store];
    // Only locks of this database: other tests migrate theirs on the same server.
    const { rows } = await sql`
      select pid from pg_locks join pg_database on database = pg_database.oid
      where locktype = 'advisory' and datname = current_database()`.execute(one.db);
    expect(rows).toEqual([]);
    const woken = wakeUps(two);
    await Signals.send(one.db, 'events', 'x');
    await expect.poll(woken).toBe(1);
  });

  it('a gateway without DATABASE_DIRECT_URL warns that notifications do not arrive', async () => {
    const { pooled } = await emptyDatabase();
    const { log, text } = capturedLog();
    const [one] = await open(pooled, undefined, log);
    const [two] = await open(pooled);
    const woken = wakeUps(two);
    await expect.poll(text).toContain('set DATABASE_DIRECT_URL to the address of PostgreSQL itself');
    await Signals.send(one.db, 'events', 'x');
    // Without notifications the other replica only polls.
    expect(woken()).toBe(0);
  });

  it('a wrong DATABASE_DIRECT_URL is named in the error, without its password', async () => {
    const { pooled, direct } = await emptyDatabase();
    const wrong = new URL(direct);
    wrong.pathname = '/nowhere';
    wrong.password = 'a-password';
    const start = open(pooled, wrong.href);
    await expect(start).rejects.toThrow(/^DATABASE_DIRECT_URL: the database nowhere at 127\.0\.0\.1/);
    await expect(start).rejects.not.toThrow('a-password');
  });

  it('records are issued, and their events reach a subscriber of another replica', async () => {
    const { pooled, direct } = await emptyDatabase();
    const env = {
      DATABASE_URL: pooled,
      DATABASE_DIRECT_URL: direct,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'warn',
      SANDBOX_MINING_INTERVAL_MS: '50',
      SANDBOX_HASH_DELAY_MS: '0',
    };
    const first = await gatewayProcess({ env });
    running.defer(() => first.remove());
    await first.start();
    const info = await (await fetch(`${first.sandboxUrl}/sandbox`)).json();
    const [issuer] = info.issuers;
    const token = 'token-of-the-second';
    const second = await gatewayProcess({
      env: {
        ...env,
        PUBLIC_URL: 'https://gateway.example',
        COMMERCE_URL: info.commerceUrl,
        SUBGRAPH_URL: info.subgraphUrl,
        IPFS_GATEWAYS: info.ipfsUrl,
        REGISTRY_ADDRESS: info.registryAddress,
        ISSUERS: JSON.stringify([
          {
            address: issuer.address,
            apiKey: issuer.apiKey,
            webhookKeys: ['key-of-the-second'],
            tokens: [{ token, scopes: ['read'] }],
          },
        ]),
      },
    });
    running.defer(() => second.remove());
    await second.start();
    const reader = new GraphQLCaller(second.url, { authorization: `Bearer ${token}` });
    const query = `subscription { events(from: BEGINNING, where: { types: [SRR_ISSUED] }) {
      ... on SRRIssued { externalId }
    } }`;
    const names = ['a', 'b', 'c'];
    const seen = (async () => {
      const seen: string[] = [];
      for await (const { data } of reader.subscribe(query, {}, new AbortController().signal))
        if (seen.push(data.events.externalId) === names.length) return seen.toSorted();
      return seen;
    })();
    const writer = new GraphQLCaller(first.url, { authorization: 'Bearer demo-token' });
    const picture = { upload: await writer.upload('p.png', 'NON_ATTACHMENT_FILE', 'a picture') };
    const ids = await Promise.all(
      names.map((name) => issue(writer, { requestId: name, entries: [entry(info, name, picture)] })),
    );
    for (const id of ids) expect(await finalOutcome(writer, id)).toMatchObject({ status: 'COMPLETED' });
    expect(await seen).toEqual(names);
    expect(first.output() + second.output()).not.toMatch(/"level":(40|50)/);
  });
});
