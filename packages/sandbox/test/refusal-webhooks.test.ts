import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { control } from '../testing/control.ts';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

// "The service calls a webhook … when issuance fails": the document does not say whether that includes a
// refused request, so a receiver should handle both.

let test: TestSandbox;
let receiver: WebhookReceiver;
let issuer: TestIssuer;
let image: string;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  test = await startTestSandbox({ webhooks: [{ url: receiver.url, key: 'k' }] });
  issuer = new TestIssuer(test.sandbox.info);
  image = (await issuer.uploadReady('refused.png', 'non_attachment_file', 'picture')).finalUrl;
});
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  await control(test.sandbox, 'settings', { webhooksOfRefusals: true });
  receiver.received.length = 0;
});

const entry = (more: object = {}) => issuer.entry(image, { ...more });

async function refused(request: { requestId?: string; payload: unknown[] }, status: number, sender = issuer) {
  const answer = await sender.post('srrs', request);
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status });
  return answer.body.message;
}

const failures = () =>
  receiver.entries('issue_failed').map(({ groupId: _, ...told }) => told as Record<string, unknown>);

/** Deliveries are queued before the response is sent, so the list has all of them. */
async function queued(): Promise<number> {
  const response = await fetch(`${test.sandbox.url}/sandbox/deliveries?limit=1000`);
  const { deliveries } = (await response.json()) as { deliveries: { type: string }[] };
  return deliveries.filter(({ type }) => type === 'issue_failed').length;
}

describe('a refusal is also reported by webhook', () => {
  it('of a request, for all of its entries', async () => {
    const payload = [entry({ externalId: 'good' }), entry({ externalId: 'bad', isPrimaryIssuer: 'yes' })];
    const [message] = await refused({ payload }, 400);
    await expect.poll(failures).toEqual([
      { status: 'failed', externalId: 'good', message },
      { status: 'failed', externalId: 'bad', message },
    ]);
    expect(receiver.received).toHaveLength(1);
  });

  it('of entries, each with its own message', async () => {
    const unknown = entry({ artistAddress: `0x${'1'.repeat(40)}` });
    const { results } = await refused({ payload: [entry(), unknown] }, 400);
    expect(results.map(({ message }: { message: string }) => message.split(':')[0])).toEqual([
      'SRR_NOT_CREATED',
      'UNKNOWN_ARTIST',
    ]);
    await expect.poll(failures).toEqual(results);
  });

  it('of a step behind the service', async () => {
    const one = entry();
    await control(test.sandbox, 'faults', {
      kind: 'issue',
      externalId: one.externalId,
      effect: 'downstream',
    });
    const message = await refused({ payload: [one] }, 500);
    expect(message).toMatch(/^SERVICE_ERROR: /);
    await expect.poll(failures).toEqual([{ status: 'failed', externalId: one.externalId, message }]);
  });
});

describe('nothing is reported', () => {
  it('unless the setting is on', async () => {
    await control(test.sandbox, 'settings', { webhooksOfRefusals: false });
    const before = await queued();
    await refused({ payload: [entry({ to: 'nobody' })] }, 400);
    expect(await queued()).toBe(before);
    await test.restart();
    const settings = await (await fetch(`${test.sandbox.url}/sandbox/settings`)).json();
    expect(settings).toMatchObject({ webhooksOfRefusals: false });
  });

  it('of a repetition, whose first request has not failed', async () => {
    const request = { requestId: randomUUID(), payload: [entry()] };
    const before = await queued();
    expect((await issuer.post('srrs', request)).status).toBe(201);
    expect(await refused(request, 400)).toMatch(/^Duplicate Request Error/);
    expect(await refused({ payload: request.payload }, 400)).toMatch(/^Request Content Error/);
    expect(await queued()).toBe(before);
  });

  it('of an entry whose externalId an earlier record has: only the others of its request have failed', async () => {
    const issued = entry();
    expect((await issuer.post('srrs', { payload: [issued] })).status).toBe(201);
    const again = entry({ externalId: issued.externalId });
    const other = entry();
    const before = await queued();
    const { results } = await refused({ payload: [again] }, 400);
    expect(results).toMatchObject([{ message: 'DUPLICATE_EXTERNAL_ID' }]);
    await refused({ payload: [{ ...again, isPrimaryIssuer: 'yes' }] }, 400);
    expect(await queued()).toBe(before);
    await refused({ payload: [again, other] }, 400);
    await expect.poll(failures).toMatchObject([{ externalId: other.externalId }]);
  });

  it('of a caller without a key, of an answer that was lost, or of another endpoint', async () => {
    const before = await queued();
    const one = { payload: [entry()] };
    const stranger = new TestIssuer(test.sandbox.info, 1);
    const { status } = await issuer.post('srrs', one, { 'commerce-api-key': stranger.apiKey });
    expect(status).toBe(401);
    await control(test.sandbox, 'faults', { kind: 'response', route: 'srrs', when: 'before', effect: '502' });
    await refused(one, 502);
    const unsigned = { action: 'write', payload: [{ externalId: 'x', filename: 'a', category: 'artwork' }] };
    expect((await issuer.post('signedUrls', unsigned)).status).toBe(400);
    expect((await issuer.post('srrs', '{"payload":')).status).toBe(400);
    expect(await queued()).toBe(before);
  });
});
