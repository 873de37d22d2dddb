import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { control } from './_util/control.ts';
import { entry } from './_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from './_util/gateway.ts';
import { GraphQLCaller } from './_util/graphql-caller.ts';
import { askToIssue, finalOutcome, issue, outcomeOf } from './_util/issuances.ts';

const limit = 120;

describe('work in flight', () => {
  let gateway: TestGateway;
  let busy: GraphQLCaller;
  let other: GraphQLCaller;

  beforeAll(async () => {
    gateway = await startTestGateway({ env: { MAX_ENTRIES_IN_FLIGHT: String(limit) } });
    busy = gateway.caller;
    other = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${testToken}-1` });
  });
  afterAll(() => gateway.stop());

  const records = async (caller: GraphQLCaller, names: string[], filename = `${names[0]}.png`) => {
    const upload = await caller.upload(filename, 'NON_ATTACHMENT_FILE', `picture of ${names[0]}`);
    return names.map((name) => entry(gateway.info, name, { upload }));
  };

  it('of one issuer is limited, what was taken can still be asked for, and others are not concerned', async () => {
    const names = Array.from({ length: limit / 2 }, (_, i) => `waiting-${i}`);
    // Its file never becomes ready, so that it stays under way.
    const entries = await records(busy, names, 'never-hash-1.png');
    const first = await issue(busy, { requestId: 'first', entries });
    const second = await issue(busy, {
      requestId: 'second',
      entries: entries.map((one) => ({ ...one, externalId: `${one.externalId}-again` })),
    });

    const third = { requestId: 'third', entries: [{ ...entries[0], externalId: 'one-more' }] };
    const { issuance, userErrors } = await askToIssue(busy, third);
    expect(issuance).toBeNull();
    expect(userErrors).toMatchObject([{ code: 'RATE_LIMITED', path: ['input', 'entries'] }]);
    expect(userErrors[0]?.message).toContain(`${limit} records of this issuer are still under way`);

    expect(await issue(busy, { requestId: 'first', entries })).toBe(first);
    const theirs = await issue(other, { entries: await records(other, ['of-another']) });
    expect((await finalOutcome(other, theirs)).status).toBe('COMPLETED');

    for (const id of [first, second])
      await busy.data('mutation ($id: ID!) { cancelIssuance(input: { id: $id }) { userErrors { code } } }', {
        id,
      });
    const ready = await records(busy, ['one-more']);
    const id = await issue(busy, { requestId: 'third', entries: ready });
    expect((await finalOutcome(busy, id)).status).toBe('COMPLETED');
  });

  it('of one issuer, however much it is, leaves a place for another issuer’s', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `slow-${i}`);
    // Each answer of the busy issuer's takes a second: a hundred of them take eight rounds at least.
    const late = { kind: 'response', route: 'srrs', when: 'before', effect: 'late', delayMs: 1_000 };
    for (const externalId of names) await control(gateway.sandbox.sandbox, 'faults', { ...late, externalId });
    const [entries, theirs] = [await records(busy, names), await records(other, ['quick'])];
    const slow = await Promise.all(entries.map((one) => issue(busy, { entries: [one] })));
    const quick = await issue(other, { entries: theirs });
    expect((await finalOutcome(other, quick)).status).toBe('COMPLETED');

    const behind = (await Promise.all(slow.map((id) => outcomeOf(busy, id)))).filter(({ status }) =>
      ['WAITING_FOR_FILES', 'SUBMITTING'].includes(status),
    );
    // In the order of arrival it would have had to wait until only the last of them were being sent.
    expect(behind.length).toBeGreaterThan(names.length / 3);
    for (const id of slow) expect((await finalOutcome(busy, id)).status).toBe('COMPLETED');
  });
});
