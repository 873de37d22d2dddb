import { control } from '@srr-gateway/sandbox/testing/control';
import { mintsOf } from '@srr-gateway/sandbox/testing/mints';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import type { TestGateway } from '../_util/gateway.ts';
import { finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { RecordingProxy } from '../_util/recording-proxy.ts';

describe('a refusal of a request that may have been processed already', () => {
  let recorded: RecordedGateway;
  let gateway: TestGateway;
  let service: RecordingProxy;
  let picture: { upload: string };

  beforeAll(async () => {
    // Short, so that the gateway accepts a refusal as the outcome within the test.
    recorded = await startRecordedGateway({ env: { RECONCILE_AFTER: '1' } });
    ({ gateway, service } = recorded);
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  });
  afterEach(async () => {
    await recorded.reset();
    await set({ webhooksPaused: false, indexLagMs: 0 });
  });
  afterAll(() => recorded?.stop());

  // Others in each run of a test: its retry finds the records of the first run.
  let run = 0;
  beforeEach(() => void run++);
  const named = (name: string) => `${name}-${run}`;

  const set = (settings: object) => control(gateway.sandbox.sandbox, 'settings', settings);
  const arm = (fault: object) => control(gateway.sandbox.sandbox, 'faults', fault);
  const requestCount = () => service.calls.filter(({ call }) => call === 'srrs').length;

  it.each([
    [401, { statusCode: 401, message: 'Unauthorized' }],
    [403, { message: 'Forbidden' }],
    [404, { statusCode: 404, message: 'Cannot POST /port/api/v1/commerce/srrs', error: 'Not Found' }],
  ])('is not the outcome when its status is %i', async (status, body) => {
    await set({ webhooksPaused: true, indexLagMs: 60_000 });
    await arm({ kind: 'response', route: 'srrs', effect: 'drop', when: 'after' });
    service.answerInstead = ({ call }) =>
      call === 'srrs' && requestCount() > 1 ? { status, text: JSON.stringify(body) } : undefined;
    const id = await issue(gateway.caller, {
      entries: [entry(gateway.info, named(`door-${status}`), picture)],
    });
    await expect.poll(requestCount, { timeout: 20_000 }).toBeGreaterThan(3);
    expect((await outcomeOf(gateway.caller, id)).status).toBe('OUTCOME_UNKNOWN');
    service.answerInstead = undefined;
    await set({ webhooksPaused: false });
    const { status: end, entries } = await finalOutcome(gateway.caller, id);
    expect([end, entries[0]?.status]).toEqual(['COMPLETED', 'ISSUED']);
    expect(await mintsOf(gateway.info.rpcUrl, [entries[0]?.srr?.tokenId])).toEqual([1]);
  });

  const refusedEntry = (externalId: string, message: string) => ({
    statusCode: 400,
    message: { results: [{ externalId, message }] },
  });

  it.each([
    ['used', 400, () => refusedEntry(named('later-used'), 'DUPLICATE_EXTERNAL_ID')],
    ['quota', 500, () => ({ statusCode: 500, message: 'Quota limit exceeded!' })],
    ['undocumented', 400, () => ({ statusCode: 400, message: 'no more of this today' })],
  ])('is not the outcome until the subgraph would show the record: %s', async (name, status, bodyOf) => {
    const body = bodyOf();
    // The subgraph has the record only after RECONCILE_AFTER has passed twice.
    await set({ webhooksPaused: true, indexLagMs: 3_000 });
    await arm({ kind: 'response', route: 'srrs', effect: 'drop', when: 'after' });
    service.answerInstead = ({ call }) =>
      call === 'srrs' && requestCount() > 1 ? { status, text: JSON.stringify(body) } : undefined;
    const id = await issue(gateway.caller, {
      entries: [entry(gateway.info, named(`later-${name}`), picture)],
    });
    const { status: end, entries } = await finalOutcome(gateway.caller, id);
    expect([end, entries[0]?.status, entries[0]?.outcomeSource]).toEqual(['COMPLETED', 'ISSUED', 'SUBGRAPH']);
    expect(await mintsOf(gateway.info.rpcUrl, [entries[0]?.srr?.tokenId])).toEqual([1]);
  });

  it('is the outcome when it names a fault of the input, which the lost request had too', async () => {
    await arm({ kind: 'response', route: 'srrs', effect: 'drop', when: 'before' });
    const message = 'payload.0.metadata is invalid. Details: data should NOT have additional properties';
    const refusal = { status: 400, text: JSON.stringify({ statusCode: 400, message }) };
    service.answerInstead = ({ call }) => (call === 'srrs' && requestCount() > 1 ? refusal : undefined);
    const id = await issue(gateway.caller, { entries: [entry(gateway.info, named('misfit'), picture)] });
    const { status: end, entries, history } = await finalOutcome(gateway.caller, id);
    expect([end, entries[0]?.error?.code]).toEqual(['REJECTED', 'METADATA_INVALID']);
    expect(history.map(({ status }) => status)).toContain('OUTCOME_UNKNOWN');
    expect(requestCount()).toBe(2);
  });

  it('is the outcome with any status when its message is known and the subgraph lacks the record', async () => {
    await arm({ kind: 'response', route: 'srrs', effect: 'drop', when: 'before' });
    const refusal = {
      status: 422,
      text: JSON.stringify(refusedEntry(named('read'), 'DUPLICATE_EXTERNAL_ID')),
    };
    service.answerInstead = ({ call }) => (call === 'srrs' && requestCount() > 1 ? refusal : undefined);
    const id = await issue(gateway.caller, { entries: [entry(gateway.info, named('read'), picture)] });
    const { status: end, entries, history } = await finalOutcome(gateway.caller, id);
    expect([end, entries[0]?.error?.code]).toEqual(['REJECTED', 'DUPLICATE_EXTERNAL_ID']);
    expect(history.map(({ status }) => status)).toContain('OUTCOME_UNKNOWN');
  });

  it('does not undo an outcome that a webhook reported meanwhile', async () => {
    await set({ webhooksPaused: true, indexLagMs: 60_000 });
    await arm({ kind: 'response', route: 'srrs', effect: 'drop', when: 'after' });
    const externalIds = [named('overtaken-a'), named('overtaken-b')];
    const results = externalIds.map((externalId) => ({ externalId, message: 'DUPLICATE_EXTERNAL_ID' }));
    const refusal = { status: 400, text: JSON.stringify({ statusCode: 400, message: { results } }) };
    service.answerInstead = async ({ call }) => {
      if (call !== 'srrs' || requestCount() === 1) return undefined;
      const since = Date.now();
      await expect.poll(() => deliverOutcomeOf(named('overtaken-a')), { timeout: 10_000 }).toBe(200);
      // After RECONCILE_AFTER, the refusal alone would be the outcome.
      await expect.poll(() => Date.now() - since, { timeout: 10_000 }).toBeGreaterThan(1_000);
      return refusal;
    };
    const entries = externalIds.map((externalId) => entry(gateway.info, externalId, picture));
    const id = await issue(gateway.caller, { entries });
    const statuses = async () => (await outcomeOf(gateway.caller, id)).entries.map(({ status }) => status);
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(['ISSUED', 'WAITING_FOR_MINING']);
    await expect
      .poll(async () => (await outcomeOf(gateway.caller, id)).status, { timeout: 10_000 })
      .toMatch(/WAITING_FOR_MINING|REJECTED/);
    await set({ webhooksPaused: false });
    expect((await finalOutcome(gateway.caller, id)).status).toBe('COMPLETED');
    expect(await statuses()).toEqual(['ISSUED', 'ISSUED']);
  });

  it('is the outcome of the other entries when a delivery has reported one as issued by another program', async () => {
    const texts = {
      [named('theirs')]: 'DUPLICATE_EXTERNAL_ID',
      [named('used')]: 'DUPLICATE_EXTERNAL_ID',
      [named('ours')]: 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error',
    };
    const results = Object.entries(texts).map(([externalId, message]) => ({ externalId, message }));
    service.answerInstead = async ({ call }) => {
      if (call !== 'srrs') return undefined;
      expect(
        await deliver({
          type: 'issue_complete',
          data: [{ externalId: named('theirs'), tokenId: `4711${run}` }],
        }),
      ).toBe(200);
      return { status: 400, text: JSON.stringify({ statusCode: 400, message: { results } }) };
    };
    const entries = Object.keys(texts).map((externalId) => entry(gateway.info, externalId, picture));
    const id = await issue(gateway.caller, { entries });
    const ends = async () =>
      (await outcomeOf(gateway.caller, id)).entries.map(({ status, error }) => error?.code ?? status);
    // The refusal says that the second entry's id is used, possibly by the lost request itself.
    await expect.poll(ends, { timeout: 10_000 }).toEqual(['ISSUED', 'WAITING_FOR_MINING', 'SRR_NOT_CREATED']);
    const { history } = await outcomeOf(gateway.caller, id);
    expect(history.at(-1)?.reason).toMatch(/^the service refused the request: /);
    await deliver({ type: 'issue_complete', data: [{ externalId: named('used'), tokenId: `4712${run}` }] });
    expect((await finalOutcome(gateway.caller, id)).status).toBe('COMPLETED');
  });

  /** Delivers the outcome of one record that the service has not delivered yet. */
  async function deliverOutcomeOf(externalId: string): Promise<number | undefined> {
    const response = await fetch(`${gateway.info.commerceUrl}/sandbox/deliveries`);
    const { deliveries } = (await response.json()) as { deliveries: { body: Delivery }[] };
    for (const { body } of deliveries) {
      const data = body.data.filter((one) => one.externalId === externalId);
      if (data.length === 0) continue;
      return deliver({ ...body, data });
    }
    return undefined;
  }

  async function deliver(body: Delivery & { type?: string }): Promise<number> {
    const { status } = await fetch(`${gateway.app.url}/webhooks/commerce`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': gateway.issuer.webhookKeys[0] as string,
      },
      body: JSON.stringify(body),
    });
    return status;
  }
});

interface Delivery {
  data: { externalId?: string; tokenId?: string }[];
}
