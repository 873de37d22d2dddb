import { randomUUID } from 'node:crypto';
import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';

describe('a record belongs to exactly one entry', () => {
  let gateway: TestGateway;
  let picture: { upload: string };
  /** In the names of each run, because the service takes a name only once. */
  let run: string;

  beforeAll(async () => {
    // Short, so that the gateway soon searches the chain for an outcome that no webhook reports.
    gateway = await startTestGateway({ env: { RECONCILE_AFTER: '2' } });
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  });
  beforeEach(() => {
    run = randomUUID();
  });
  afterEach(async () => {
    await fetch(`${gateway.info.commerceUrl}/sandbox/faults`, { method: 'DELETE' });
    await pauseWebhooks(false);
  });
  afterAll(() => gateway?.stop());

  const pauseWebhooks = (webhooksPaused: boolean) =>
    control(gateway.sandbox.sandbox, 'settings', { webhooksPaused });
  const loseRequests = (times: number) =>
    control(gateway.sandbox.sandbox, 'faults', {
      kind: 'response',
      route: 'srrs',
      effect: 'drop',
      when: 'before',
      times,
    });
  /** Issues one record whose metadata differs only in `text`. */
  const ask = (name: string, text: string) => {
    const metadata = { name: `${text} ${run}`, title: { en: text } };
    return issue(gateway.caller, {
      entries: [entry(gateway.info, `${name}-${run}`, picture, { metadata })],
    });
  };
  const reaches = (id: string, status: string) =>
    expect
      .poll(async () => (await outcomeOf(gateway.caller, id)).history.map((line) => line.status), {
        timeout: 20_000,
      })
      .toContain(status);
  const endOf = async (id: string) => {
    const { status, entries } = await finalOutcome(gateway.caller, id);
    return [status, entries[0]?.status, entries[0]?.error?.code];
  };
  const issued = ['COMPLETED', 'ISSUED', undefined];

  it('when its webhook comes while another request for its externalId is lost', async () => {
    await pauseWebhooks(true);
    const first = await ask('wanted-twice', 'one');
    await reaches(first, 'WAITING_FOR_MINING');
    await loseRequests(2);
    const second = await ask('wanted-twice', 'another');
    await reaches(second, 'OUTCOME_UNKNOWN');
    await pauseWebhooks(false);
    expect(await endOf(first)).toEqual(issued);
    expect(await endOf(second)).toEqual(['REJECTED', 'FAILED', 'DUPLICATE_EXTERNAL_ID']);
  });

  it('when a lost request has its metadata under another externalId', async () => {
    expect(await endOf(await ask('same-one', 'the same'))).toEqual(issued);
    await loseRequests(1);
    const second = await ask('same-two', 'the same');
    expect(await endOf(second)).toEqual(['REJECTED', 'FAILED', 'DUPLICATE_METADATA']);
  });

  it('when a lost request has exactly the same content', async () => {
    expect(await endOf(await ask('equal', 'equal'))).toEqual(issued);
    await loseRequests(1);
    const second = await ask('equal', 'equal');
    expect(await endOf(second)).toEqual(['REJECTED', 'FAILED', 'DUPLICATE_REQUEST_CONTENT']);
  });

  it('when two requests with the same metadata are lost', async () => {
    await pauseWebhooks(true);
    await control(gateway.sandbox.sandbox, 'faults', {
      kind: 'response',
      route: 'srrs',
      effect: 'drop',
      when: 'after',
    });
    const first = await ask('twin-one', 'twins');
    await reaches(first, 'WAITING_FOR_MINING');
    await loseRequests(1);
    const second = await ask('twin-two', 'twins');
    expect(await endOf(first)).toEqual(issued);
    expect(await endOf(second)).toEqual(['REJECTED', 'FAILED', 'DUPLICATE_METADATA']);
    await pauseWebhooks(false);
  });

  it('when requests for records that differ only in their pictures are lost together', async () => {
    const names = [1, 2, 3].map((n) => `series-${n}-${run}`);
    const entries = await Promise.all(
      names.map(async (name) => {
        const upload = await gateway.caller.upload(`${name}.png`, 'NON_ATTACHMENT_FILE', `picture ${name}`);
        return entry(
          gateway.info,
          name,
          { upload },
          { metadata: { name: `Untitled ${run}`, title: { en: 'Untitled' } } },
        );
      }),
    );
    await pauseWebhooks(true);
    const loseAnswer = () =>
      control(gateway.sandbox.sandbox, 'faults', {
        kind: 'response',
        route: 'srrs',
        effect: 'drop',
        when: 'after',
      });
    await loseAnswer();
    const first = await issue(gateway.caller, { entries: entries.slice(0, 2) });
    await reaches(first, 'OUTCOME_UNKNOWN');
    await loseAnswer();
    const second = await issue(gateway.caller, { entries: entries.slice(2) });
    const found = [await finalOutcome(gateway.caller, first), await finalOutcome(gateway.caller, second)];
    await pauseWebhooks(false);
    const records = found.flatMap((one) => one.entries);
    expect(records.map(({ status, outcomeSource }) => [status, outcomeSource])).toEqual(
      entries.map(() => ['ISSUED', 'SUBGRAPH']),
    );
    const tokens = records.map(({ srr }) => srr?.tokenId as string);
    expect(new Set(tokens).size).toBe(3);
    const delivered = await deliveredTokens(names);
    expect(tokens).toEqual(delivered);
  });

  /** The token ids that the service itself reports for these externalIds. */
  async function deliveredTokens(externalIds: string[]): Promise<(string | undefined)[]> {
    const response = await fetch(`${gateway.info.commerceUrl}/sandbox/deliveries?limit=1000`);
    const { deliveries } = (await response.json()) as {
      deliveries: { body: { data: { externalId?: string; tokenId?: string; srrId?: string }[] } }[];
    };
    const items = deliveries.flatMap(({ body }) => body.data);
    return externalIds.map((id) => {
      const one = items.find(({ externalId }) => externalId === id);
      return one?.tokenId ?? one?.srrId;
    });
  }

  it('when the first entry failed and its metadata is issued again under a new externalId', async () => {
    const failed = await ask('fail-gas-over-allowance-again', 'again');
    expect(await endOf(failed)).toEqual(['COMPLETED', 'FAILED', 'MINING_FAILED']);
    expect(await endOf(await ask('again', 'again'))).toEqual(issued);
    expect(await endOf(failed)).toEqual(['COMPLETED', 'FAILED', 'MINING_FAILED']);
  });
});
