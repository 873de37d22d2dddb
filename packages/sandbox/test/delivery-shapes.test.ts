import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { control } from '../testing/control.ts';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

// The service's document does not show the payload of webhooks, so integrators can test their receivers with
// every shape.

/** A batch takes several blocks on a busy machine, and a hook even longer. */
const minedWithinMs = 40_000;

let test: TestSandbox;
let receiver: WebhookReceiver;
let slim: Listed;
let failed: Listed;
let created: Listed;

interface Listed {
  id: string;
  type: string;
  status: string;
  body: { type: string; version: number; data: Record<string, unknown>[] };
}

const deliveries = async () =>
  ((await (await fetch(`${test.sandbox.url}/sandbox/deliveries`)).json()) as { deliveries: Listed[] })
    .deliveries;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  test = await startTestSandbox({
    settings: {
      webhook: { url: receiver.url, key: 'k' },
      webhookFailureType: 'went_wrong',
      webhookBackoffMs: 20,
    },
  });
  const issuer = new TestIssuer(test.sandbox.info);
  const image = (await issuer.uploadReady('shape.png', 'non_attachment_file', 'picture')).finalUrl;
  const entry = (externalId: string) => issuer.entry(image, { externalId });
  // So many that some are mined together, even on a slow machine.
  const batch = Array.from({ length: 20 }, (_, index) => entry(`of a batch ${index}`));
  expect((await issuer.post('srrs', { payload: batch })).status).toBe(201);
  const doomed = [entry('fail-gas-over-allowance-shape')];
  expect((await issuer.post('srrs', { payload: doomed })).status).toBe(201);
  const collection = { name: 'Shapes', symbol: 'SHAPE' };
  expect((await issuer.post('collection', { payload: collection })).status).toBe(201);
  await vi.waitUntil(() => receiver.entries('issue_complete').length === 20, { timeout: minedWithinMs });
  const of = (wanted: string, entries = 1) =>
    vi.waitUntil(
      async () =>
        (await deliveries()).find(
          ({ type, status, body }) =>
            type === wanted && status === 'delivered' && body.data.length >= entries,
        ),
      { timeout: minedWithinMs },
    );
  [slim, failed, created] = [
    await of('issue_complete', 2),
    await of('issue_failed'),
    await of('collection_created'),
  ];
});
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answers.length = 0;
});

/** The bodies that are sent for a delivery in this shape. */
async function sent({ id }: Listed, deliveryShape: string): Promise<unknown[]> {
  await control(test.sandbox, 'settings', { deliveryShape });
  await control(test.sandbox, `deliveries/${id}/again`);
  await expect
    .poll(async () => (await deliveries()).find((one) => one.id === id)?.status, { timeout: 10_000 })
    .toBe('delivered');
  return receiver.received.map(({ body }) => body);
}

describe('a delivery is sent', () => {
  it('as it is listed, by default', async () => {
    const settings = await (await fetch(`${test.sandbox.url}/sandbox/settings`)).json();
    expect(settings).toMatchObject({ deliveryShape: 'slim' });
    expect(await sent(slim, 'slim')).toEqual([slim.body]);
    expect(slim.body).toMatchObject({
      type: 'issue_complete',
      data: slim.body.data.map(() => ({ status: 'issued', tokenId: expect.any(String) })),
    });
  });

  it('with ids under srr, as in the 201', async () => {
    const nested = ({ body }: Listed) => ({
      ...body,
      data: body.data.map((entry) => {
        const { srrId: _, tokenId, metadataCID, metadataURL, collectionContractAddress, ...others } = entry;
        return { ...others, srr: { tokenId, metadataCID, metadataURL, collectionContractAddress } };
      }),
    });
    expect(await sent(slim, 'srr')).toEqual([nested(slim)]);
    receiver.received.length = 0;
    expect(await sent(failed, 'srr')).toEqual([nested(failed)]);
    expect(nested(failed)).toMatchObject({
      type: 'went_wrong',
      data: [{ status: 'failed', message: 'required gas over the allowance' }],
    });
  });

  it('with externalId only', async () => {
    const only = slim.body.data.map(({ groupId, externalId }) => ({ groupId, externalId }));
    expect(await sent(slim, 'externalId-only')).toEqual([{ ...slim.body, data: only }]);
  });

  it('as one object each, until one is refused, and then from the first again', async () => {
    receiver.answers.push(200, 500);
    const bodies = slim.body.data.map((entry) => ({ ...slim.body, data: entry }));
    expect(await sent(slim, 'object')).toEqual([...bodies.slice(0, 2), ...bodies]);
  });

  it('without a type', async () => {
    expect(await sent(slim, 'untyped')).toEqual([{ ...slim.body, type: null }]);
  });

  it('with a status that contradicts its type, of records that are mined', async () => {
    const data = slim.body.data.map((entry) => ({ ...entry, status: 'failed' }));
    expect(await sent(slim, 'contradictory')).toEqual([{ ...slim.body, data }]);
    receiver.received.length = 0;
    expect(await sent(failed, 'contradictory')).toEqual([failed.body]);
  });

  it('unchanged in the shapes of records, if it is about a collection', async () => {
    for (const shape of ['srr', 'externalId-only', 'contradictory']) {
      receiver.received.length = 0;
      expect(await sent(created, shape)).toEqual([created.body]);
    }
  });
});

it('an unknown shape is refused', async () => {
  const response = await fetch(`${test.sandbox.url}/sandbox/settings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"deliveryShape":"round"}',
  });
  expect(response.status).toBe(400);
});
