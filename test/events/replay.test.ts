import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Address } from '@srr-gateway/common/address';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { replayEvents } from '../../src/events/replay.ts';
import { applyDeliveries } from '../../src/issuance/apply-deliveries.ts';
import { appendEvents } from '../../src/store/append-events.ts';
import { lockLog } from '../../src/store/lock-log.ts';
import { type EventGateways, eventGateways } from '../_util/event-gateways.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';
import { project } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';

const apply = applyDeliveries(60_000);
const deliveryTypes = { issuance_failed: 'SRR_FAILED' } as const;

describe('a replay of the log', () => {
  let events: EventStore;
  let nextIssuer = 1;

  beforeAll(async () => {
    events = await eventStore();
  });
  afterAll(() => events?.stop());

  const replay = (issuer: ReturnType<typeof issuerNumber>) =>
    replayEvents({ db: events.store.db, issuer, after: '0', reading: { deliveryTypes }, apply });

  /** Stores an issuance of one record that the service has accepted and that waits for mining. */
  function waiting(issuer: string, externalId: string, tokenId: string): Promise<string> {
    const status = 'WAITING_FOR_MINING';
    return storeIssuance(events.store.db, issuer as Address, {
      issuance: { status },
      batch: { status: 'ACCEPTED' },
      entries: [{ external_id: externalId, status, token_id: tokenId }],
    });
  }

  const statusOf = async (id: string) => {
    const { db } = events.store;
    const entry = await db
      .selectFrom('issuance_entry')
      .select('status')
      .where('issuance_id', '=', id)
      .execute();
    const issuance = await db.selectFrom('issuance').select('status').where('id', '=', id).execute();
    return [issuance[0]?.status, entry[0]?.status];
  };

  it('settles an entry once by a delivery that was not recognized before, with an event for subscribers', async () => {
    const issuer = issuerNumber(nextIssuer++);
    const id = await waiting(issuer, 'lost-1', '11');
    const entry = { externalId: 'lost-1', message: 'no gas' };
    await events.deliver(issuer, [entry], 'issuance_failed', apply);
    expect(await statusOf(id)).toEqual(['WAITING_FOR_MINING', 'WAITING_FOR_MINING']);

    expect(await replay(issuer)).toEqual({ events: 1, recognized: 1 });
    expect(await statusOf(id)).toEqual(['COMPLETED', 'FAILED']);
    // A second replay and a second delivery add nothing.
    expect(await replay(issuer)).toEqual({ events: 2, recognized: 0 });
    await events.deliver(issuer, [entry], 'issuance_failed', apply);
    const rows = await events.log().read(issuer, '0', 10, {});
    expect(rows.map(({ type, raw }) => [type, raw])).toEqual([
      ['UNRECOGNIZED', entry],
      ['SRR_FAILED', entry],
    ]);
  });

  it('does not settle a record that was issued again after the event', async () => {
    const issuer = issuerNumber(nextIssuer++);
    await events.deliver(issuer, [{ srrId: '12', message: 'no gas' }], 'issue_failed', apply);
    // The embedded database counts in milliseconds, so wait for the next one to store the issuance later.
    const deliveredAt = Date.now();
    await vi.waitUntil(() => Date.now() > deliveredAt, { interval: 1 });
    const id = await waiting(issuer, 'second-try', '12');
    expect(await replay(issuer)).toEqual({ events: 1, recognized: 0 });
    expect(await statusOf(id)).toEqual(['WAITING_FOR_MINING', 'WAITING_FOR_MINING']);
  });

  it('adds one history line for an event that contradicts a refusal', async () => {
    const { db } = events.store;
    const issuer = issuerNumber(nextIssuer++);
    const id = await waiting(issuer, 'refused', '13');
    await db.updateTable('issuance').set({ status: 'REJECTED' }).where('id', '=', id).execute();
    await db
      .updateTable('issuance_batch')
      .set({ status: 'REJECTED' })
      .where('issuance_id', '=', id)
      .execute();
    await events.deliver(issuer, [{ externalId: 'refused', srrId: '13' }], 'issue_complete', apply);
    await replay(issuer);
    const history = await db
      .selectFrom('issuance_history')
      .select('reason')
      .where('issuance_id', '=', id)
      .execute();
    expect(history).toEqual([{ reason: expect.stringContaining('"refused" was issued') }]);
  });

  it('adds no history line for a delivery that reports an outcome again', async () => {
    const { db } = events.store;
    const issuer = issuerNumber(nextIssuer++);
    const id = await waiting(issuer, 'issued', '14');
    for (const attempt of [1, 2])
      await events.deliver(issuer, [{ externalId: 'issued', srrId: '14', attempt }], 'issue_complete', apply);
    const history = () =>
      db
        .selectFrom('issuance_history')
        .select('reason')
        .where('issuance_id', '=', id)
        .orderBy('id')
        .execute();
    const before = await history();
    expect(before.at(-1)).toEqual({ reason: 'a delivery reports again that "issued" was issued' });
    await replay(issuer);
    expect(await history()).toEqual(before);
  });

  it('adds no event that subscribers have seen, and leaves out those that were not delivered', async () => {
    const { db } = events.store;
    const issuer = issuerNumber(nextIssuer++);
    const id = await waiting(issuer, 'seen', '15');
    // As if an earlier release had stored it without its entry.
    await events.deliver(issuer, [{ externalId: 'seen', message: 'no gas' }]);
    await db.transaction().execute(async (trx) => {
      await lockLog(trx, issuer);
      const ids = { externalId: 'refused', tokenId: null, collection: null };
      const from = { kind: 'response', source: 'RESPONSE', dedupe: 'refused' } as const;
      await appendEvents(trx, issuer, [{ type: 'SRR_FAILED', ...from, ...ids, message: null, raw: {} }]);
    });
    expect(await replay(issuer)).toEqual({ events: 1, recognized: 0 });
    expect(await statusOf(id)).toEqual(['COMPLETED', 'FAILED']);
    expect(await events.log().read(issuer, '0', 10, {})).toHaveLength(2);
  });

  it('covers a log of more than a thousand events', async () => {
    const issuer = issuerNumber(nextIssuer++);
    const entries = Array.from({ length: 1_200 }, (_, n) => ({ externalId: `many-${n}` }));
    await events.deliver(issuer, entries, 'issuance_failed');
    expect(await replay(issuer)).toEqual({ events: 2_400, recognized: 1_200 });
  });
});

describe('npm run replay', () => {
  let gateways: EventGateways | undefined;
  afterEach(() => gateways?.stop());

  const run = (parameters: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, ['src/commands/replay.ts', ...parameters], {
      cwd: project,
      env: { PATH: process.env.PATH, ...env },
    });

  it('replays the log of a gateway, from the start or after a cursor', async () => {
    gateways = await eventGateways();
    const { replicas, issuer, webhookKey, token, env } = gateways;
    const [gateway] = replicas as [(typeof replicas)[0]];
    const delivered = await fetch(`${gateway.url}/webhooks/commerce`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': webhookKey },
      body: JSON.stringify({ type: 'issuance_failed', data: [{ externalId: 'a' }] }),
    });
    expect(delivered.status).toBe(200);
    const ask = { ...env(gateway), WEBHOOK_TYPES: JSON.stringify(deliveryTypes) };
    if (!gateway.databaseUrl) {
      await expect(run(['--issuer', issuer], ask)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/in use by another process/),
      });
      await gateway.stop('SIGTERM');
    }
    expect((await run(['--issuer', issuer], ask)).stdout).toBe(
      '1 event(s) replayed, 1 recognized only now.\n',
    );
    if (!gateway.running()) await gateway.start();
    const caller = new GraphQLCaller(gateway.url, { authorization: `Bearer ${token}` });
    const found = await caller.data('{ events { edges { node { __typename cursor } } } }');
    expect(found.events.edges.map(({ node }: { node: { __typename: string } }) => node.__typename)).toEqual([
      'UnrecognizedEvent',
      'SRRFailed',
    ]);
    if (!gateway.databaseUrl) await gateway.stop('SIGTERM');
    const after = ['--after', found.events.edges[1].node.cursor];
    expect((await run(['--issuer', issuer, ...after], ask)).stdout).toMatch(/^0 event/);
    // Starts a gateway twice and three commands.
  }, 120_000);

  it('prints its usage, and refuses invalid parameters', async () => {
    expect((await run(['--help'])).stdout).toMatch(/^Usage: npm run replay/);
    for (const [parameters, message] of [
      [[], /--issuer/],
      [['--issuer', 'x'], /--issuer/],
      [['--nonsense'], /--nonsense/],
      [['--issuer', issuerNumber(1), '--after', 'forged'], /not belong to this issuer/],
    ] as const)
      await expect(run([...parameters])).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(message),
      });
  });
});
