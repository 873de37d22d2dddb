import { mintsOf } from '@srr-gateway/sandbox/testing/mints';
import { startWebhookReceiver, type WebhookReceiver } from '@srr-gateway/sandbox/testing/webhook-receiver';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import type { TestGateway } from '../_util/gateway.ts';
import { finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { RecordingProxy } from '../_util/recording-proxy.ts';

/** What the gateway receives: the answer, each outcome, one of them twice, and a false failure. */
const arrivals = ['answer', 'a issued', 'b issued', 'c issued', 'b issued again', 'b failed'] as const;
const orders = fc.sample(fc.shuffledSubarray([...arrivals], { minLength: arrivals.length }), {
  numRuns: 20,
  seed: 20_261_121,
});

let recorded: RecordedGateway;
let gateway: TestGateway;
let service: RecordingProxy;
let receiver: WebhookReceiver;
let picture: { upload: string };
/** Answers of the service that are held back, by the prefix of their externalIds. */
const held = new Map<string, PromiseWithResolvers<void>>();

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  recorded = await startRecordedGateway();
  ({ gateway, service } = recorded);
  service.afterAnswer = async ({ call, body }) => {
    if (call === 'srrs') await held.get(body.payload[0].externalId.split('-')[0])?.promise;
  };
  // The deliveries of the service go to a receiver, from which the test passes them on in its order.
  gateway.sandbox.sandbox.setWebhook({
    issuer: gateway.issuer.address,
    url: receiver.url,
    key: 'of-no-matter',
  });
  picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
});
afterAll(async () => {
  await recorded?.stop();
  await receiver.stop();
});

async function deliver(type: string, one: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${gateway.app.url}/webhooks/commerce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.issuer.webhookKeys[0] as string },
    body: JSON.stringify({ type, version: 1, data: [one] }),
  });
  expect(response.status).toBe(200);
}

const deliveredOutcome = (externalId: string) =>
  receiver.entries('issue_complete').find((one) => one.externalId === externalId);

async function arrive(name: string, id: string, arrival: (typeof arrivals)[number]): Promise<void> {
  if (arrival === 'answer') {
    held.get(name)?.resolve();
    await expect
      .poll(async () => (await outcomeOf(gateway.caller, id)).entries.every(({ srr }) => srr), {
        timeout: 20_000,
      })
      .toBe(true);
    return;
  }
  const issued = deliveredOutcome(`${name}-${arrival[0]}`) as Record<string, unknown>;
  const { groupId, externalId } = issued;
  if (arrival.endsWith('failed'))
    await deliver('issue_failed', { groupId, externalId, message: 'out of gas' });
  else await deliver('issue_complete', issued);
}

it.each(orders.map((order, i) => [order.join(', '), order, `order${i}`] as const))(
  'an issuance ends the same in every order of answer and deliveries: %s',
  async (_, order, name) => {
    held.set(name, Promise.withResolvers());
    const externalIds = ['a', 'b', 'c'].map((letter) => `${name}-${letter}`);
    const entries = externalIds.map((externalId) => entry(gateway.info, externalId, picture));
    const id = await issue(gateway.caller, { entries });
    await expect.poll(() => externalIds.filter(deliveredOutcome).length, { timeout: 20_000 }).toBe(3);

    for (const arrival of order) await arrive(name, id, arrival);

    const { status, error, entries: ended } = await finalOutcome(gateway.caller, id);
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    expect(ended).toEqual(
      externalIds.map((externalId) => ({
        externalId,
        status: 'ISSUED',
        outcomeSource: 'WEBHOOK',
        removedAt: null,
        error: null,
        srr: { tokenId: deliveredOutcome(externalId)?.tokenId },
      })),
    );
    expect(
      await mintsOf(
        gateway.info.rpcUrl,
        ended.map(({ srr }) => srr?.tokenId),
      ),
    ).toEqual([1, 1, 1]);
  },
);

it('a refusal stands if only a delivery contradicts it, and both are shown', async () => {
  const unknownArtist = { artistAddress: `0x${'0'.repeat(38)}aa` };
  const id = await issue(gateway.caller, {
    entries: [entry(gateway.info, 'refused-one', picture, unknownArtist)],
  });
  expect((await finalOutcome(gateway.caller, id)).status).toBe('REJECTED');
  const outcome = { externalId: 'refused-one', groupId: 'g', tokenId: '4711' };
  for (let times = 0; times < 2; times++) await deliver('issue_complete', outcome);
  const { status, history } = await finalOutcome(gateway.caller, id);
  expect(status).toBe('REJECTED');
  const lines = history.filter(({ reason }) => reason?.includes('which the service had refused'));
  expect(lines).toEqual([expect.objectContaining({ reason: expect.stringContaining('"refused-one"') })]);
  const { events } = await gateway.caller.data(
    '{ events(where: { externalIds: ["refused-one"] }) { edges { node { type source } } } }',
  );
  expect(events.edges.map(({ node }: { node: object }) => node)).toEqual([
    { type: 'SRR_FAILED', source: 'RESPONSE' },
    { type: 'UNRECOGNIZED', source: 'WEBHOOK' },
  ]);
});

it('the token id from a delivery is kept even if a later answer has another one', async () => {
  held.set('told', Promise.withResolvers());
  const names = ['told-first', 'told-second'];
  const id = await issue(gateway.caller, {
    entries: names.map((name) => entry(gateway.info, name, picture)),
  });
  await expect.poll(() => names.filter(deliveredOutcome).length, { timeout: 20_000 }).toBe(2);
  const issued = deliveredOutcome('told-first') as Record<string, unknown>;
  await deliver('issue_complete', { ...issued, tokenId: '4712' });
  const tokens = async () =>
    (await outcomeOf(gateway.caller, id)).entries.map(({ srr }) => srr?.tokenId ?? null);
  expect(await tokens()).toEqual(['4712', null]);
  held.get('told')?.resolve();
  await expect.poll(tokens).toEqual(['4712', deliveredOutcome('told-second')?.tokenId]);
});
