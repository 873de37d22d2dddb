import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { type TestGateway, testToken } from '../_util/gateway.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { askToIssue, finalOutcome, issue } from '../_util/issuances.ts';
import { metric } from '../_util/metrics.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { RecordingProxy } from '../_util/recording-proxy.ts';

const limit = 120;
/** How many of the worker's slots one issuer may take. */
const perIssuer = 12;

describe('work in flight', () => {
  let recorded: RecordedGateway;
  let gateway: TestGateway;
  let service: RecordingProxy;
  let busy: GraphQLCaller;
  let other: GraphQLCaller;

  beforeAll(async () => {
    recorded = await startRecordedGateway({ env: { MAX_ENTRIES_IN_FLIGHT: String(limit) } });
    ({ gateway, service } = recorded);
    busy = gateway.caller;
    other = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${testToken}-1` });
  });
  afterAll(() => recorded?.stop());

  // Others in each run of a test: its retry finds the issuances of the first run.
  let run = 0;
  beforeEach(() => void run++);
  const named = (name: string) => `${name}-${run}`;

  const records = async (caller: GraphQLCaller, names: string[], filename = `${names[0]}.png`) => {
    const upload = await caller.upload(filename, 'NON_ATTACHMENT_FILE', `picture of ${names[0]}`);
    return names.map((name) => entry(gateway.info, name, { upload }));
  };

  it('of one issuer is limited, without affecting accepted requests or other issuers', async () => {
    const names = Array.from({ length: limit / 2 }, (_, i) => named(`waiting-${i}`));
    // The file never becomes ready, so the issuances stay in flight.
    const entries = await records(busy, names, `never-hash-${run}.png`);
    const first = await issue(busy, { requestId: named('first'), entries });
    const second = await issue(busy, {
      requestId: named('second'),
      entries: entries.map((one) => ({ ...one, externalId: `${one.externalId}-again` })),
    });

    const third = { requestId: named('third'), entries: [{ ...entries[0], externalId: named('one-more') }] };
    const { issuance, userErrors } = await askToIssue(busy, third);
    expect(issuance).toBeNull();
    expect(userErrors).toMatchObject([{ code: 'RATE_LIMITED', path: ['input', 'entries'] }]);
    expect(userErrors[0]?.message).toContain(`${limit} records of this issuer are still under way`);

    expect(await issue(busy, { requestId: named('first'), entries })).toBe(first);
    const theirs = await issue(other, { entries: await records(other, [named('of-another')]) });
    expect((await finalOutcome(other, theirs)).status).toBe('COMPLETED');

    for (const id of [first, second])
      await busy.data('mutation ($id: ID!) { cancelIssuance(input: { id: $id }) { userErrors { code } } }', {
        id,
      });
    const ready = await records(busy, [named('one-more')]);
    const id = await issue(busy, { requestId: named('third'), entries: ready });
    expect((await finalOutcome(busy, id)).status).toBe('COMPLETED');
  });

  it('counts concurrent calls with one requestId once, even if their records fill the limit', async () => {
    const entries = await records(
      busy,
      Array.from({ length: limit }, (_, i) => named(`twins-${i}`)),
    );
    const twins = Array.from({ length: 25 }, () => issue(busy, { requestId: named('twins'), entries }));
    const ids = new Set(await Promise.all(twins));
    expect(ids.size).toBe(1);
    for (const id of ids) expect((await finalOutcome(busy, id)).status).toBe('COMPLETED');
  });

  it('of one issuer, however much it is, leaves a worker slot for another issuer', async () => {
    const answers = Promise.withResolvers<void>();
    // Hold the calls back from the service, because an outcome by webhook would end the wait.
    service.beforeCall = async ({ call, body }) => {
      if (call === 'srrs' && body.payload[0].externalId.startsWith('slow-')) await answers.promise;
    };
    const names = Array.from({ length: 60 }, (_, i) => named(`slow-${i}`));
    const entries = await records(busy, names);
    service.clear();
    const slow = await Promise.all(entries.map((one) => issue(busy, { entries: [one] })));
    const sent = () => service.calls.filter(({ call }) => call === 'srrs').length;
    // The gateway sends as many as one issuer may have at once, and no more until they are answered.
    await expect.poll(sent, { timeout: 20_000 }).toBe(perIssuer);
    const age = await metric(gateway.app.url, 'srr_queue_age_seconds');
    expect(age, 'how long the oldest of the others has waited').toBeGreaterThan(0);
    expect(age).toBeLessThan(60);

    const quick = await issue(other, { entries: await records(other, [named('quick')]) });
    expect((await finalOutcome(other, quick)).status).toBe('COMPLETED');
    expect(sent()).toBe(perIssuer + 1);

    answers.resolve();
    for (const id of slow) expect((await finalOutcome(busy, id)).status).toBe('COMPLETED');
  });
});
