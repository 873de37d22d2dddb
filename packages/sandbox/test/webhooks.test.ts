import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { control } from '../testing/control.ts';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox, turnSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let test: TestSandbox;
let receiver: WebhookReceiver;
let own: WebhookReceiver;
let issuer: TestIssuer;
let image: string;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  own = await startWebhookReceiver();
  test = await startTestSandbox({
    settings: { webhook: { url: receiver.url, key: 'common-key' }, webhookAttempts: 3, webhookBackoffMs: 20 },
  });
  issuer = new TestIssuer(test.sandbox.info);
  image = (await issuer.uploadReady('hook.png', 'non_attachment_file', 'picture')).finalUrl;
});
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
  await own?.stop();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answers.length = 0;
  own.received.length = 0;
});

async function issue(more: Record<string, unknown> = {}): Promise<string> {
  const entry = issuer.entry(image, more);
  const { status, body } = await issuer.post('srrs', { payload: [entry] });
  expect(status, JSON.stringify(body)).toBe(201);
  return entry.externalId as string;
}

/** A new sandbox that has issued a record, with a receiver that answers its webhook in this way. */
async function issuingSandbox(
  settings: { webhookAttempts?: number; webhookTimeoutMs?: number },
  ...answers: WebhookReceiver['answers']
): Promise<TestSandbox> {
  const webhook = { url: receiver.url, key: 'k' };
  const sandbox = await startTestSandbox({ settings: { webhook, ...settings } });
  onTestFinished(() => sandbox.stop());
  const other = new TestIssuer(sandbox.sandbox.info);
  const picture = (await other.uploadReady('own.png', 'non_attachment_file', 'picture')).finalUrl;
  receiver.answers.push(...answers);
  expect((await other.post('srrs', { payload: [other.entry(picture)] })).status).toBe(201);
  return sandbox;
}

interface Listed {
  id: string;
  status: string;
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: string | null;
  tries: { at: string; status: number | null; error: string | null }[];
  body: { data: { externalId: string }[] };
}

async function listed({ sandbox }: TestSandbox): Promise<Listed[]> {
  const response = await fetch(`${sandbox.url}/sandbox/deliveries`);
  return ((await response.json()) as { deliveries: Listed[] }).deliveries;
}

const deliveryOf = async (externalId: string) =>
  (await listed(test)).find(({ body }) => body.data.some((entry) => entry.externalId === externalId));

const statusOf = async (externalId: string) => (await deliveryOf(externalId))?.status;

describe('a delivery', () => {
  it('is retried until it gets a 2xx', async () => {
    receiver.answers.push(500, 404, 204);
    const externalId = await issue();
    await expect.poll(() => statusOf(externalId)).toBe('delivered');
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(receiver.received.map(({ apiKey }) => apiKey)).toEqual(['common-key', 'common-key', 'common-key']);
    expect(await deliveryOf(externalId)).toMatchObject({ attempts: 3, lastStatus: 204 });
  });

  it('fails when its attempts are used up', async () => {
    receiver.answers.push(500, 500, 500);
    const externalId = await issue();
    await expect.poll(() => statusOf(externalId)).toBe('failed');
    expect(await deliveryOf(externalId)).toMatchObject({ attempts: 3, lastStatus: 500 });
    expect(receiver.received).toHaveLength(3);
  });

  it('that a stop interrupts is sent again at the next start, even in its last attempt', async () => {
    const slow = await issuingSandbox({ webhookAttempts: 1 }, 'none');
    await expect.poll(() => receiver.received.length).toBe(1);
    await slow.restart();
    await expect.poll(() => receiver.received.length).toBe(2);
    await expect.poll(() => listed(slow)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('ends in time when the response comes byte by byte, and its status counts', async () => {
    const slow = await issuingSandbox({ webhookTimeoutMs: 400 }, 'none', 'endless');
    await expect
      .poll(() => listed(slow))
      .toMatchObject([
        { status: 'delivered', tries: [{ status: null, error: 'TimeoutError' }, { status: 200 }] },
      ]);
  });

  it('stays queued while webhooks are paused, even over a restart', async () => {
    await control(test.sandbox, 'settings', { webhooksPaused: true });
    const externalId = await issue();
    await expect.poll(() => statusOf(externalId)).toBe('pending');
    expect(receiver.received).toEqual([]);
    // A restart resets the setting, so the delivery is sent.
    await test.restart();
    const ids = () => receiver.entries('issue_complete').map((entry) => entry.externalId);
    // A first run that failed before its restart left one too.
    await expect.poll(() => ids().filter((id) => id === externalId)).toEqual([externalId]);
  });

  it('goes to the issuer’s own target when there is one', async () => {
    const target = (url: string, key: string) =>
      control(test.sandbox, 'settings', { webhooks: [{ issuer: issuer.address, url, key }] });
    onTestFinished(async () => void (await target(receiver.url, 'common-key')));
    await target(own.url, 'own-key');
    const externalId = await issue();
    await expect
      .poll(() => own.received.map(({ apiKey, body }) => [apiKey, body.data[0]?.externalId]))
      .toEqual([['own-key', externalId]]);
    expect(receiver.received).toEqual([]);
  });

  it('is listed without its key', async () => {
    const pages = ['', '/settings', '/deliveries', '/faults'].map(async (path) =>
      (await fetch(`${test.sandbox.url}/sandbox${path}`)).text(),
    );
    expect((await Promise.all(pages)).join('')).not.toContain('common-key');
  });
});

describe('a receiver that refuses', () => {
  it('for good (410) gets no retry until the delivery is sent again by hand', async () => {
    receiver.answers.push(410);
    const externalId = await issue();
    await expect.poll(() => statusOf(externalId)).toBe('failed');
    const delivery = await deliveryOf(externalId);
    expect(delivery).toMatchObject({ attempts: 1, lastStatus: 410, tries: [{ status: 410, error: null }] });
    expect(receiver.received).toHaveLength(1);
    await control(test.sandbox, `deliveries/${delivery?.id}/again`, {});
    await expect.poll(() => statusOf(externalId)).toBe('delivered');
    expect(await deliveryOf(externalId)).toMatchObject({ tries: [{ status: 410 }, { status: 200 }] });
    expect(receiver.received).toHaveLength(2);
  });

  it('repeatedly gets retries with backoff, and every attempt is recorded', async () => {
    receiver.answers.push(500, 503, 500);
    const externalId = await issue();
    await expect.poll(() => statusOf(externalId)).toBe('failed');
    const { tries = [] } = (await deliveryOf(externalId)) ?? {};
    expect(tries.map(({ status }) => status)).toEqual([500, 503, 500]);
    const [first, second, third] = tries.map(({ at }) => Date.parse(at)) as [number, number, number];
    expect(second - first).toBeGreaterThanOrEqual(19);
    expect(third - second).toBeGreaterThanOrEqual(39);
  });
});

it('gets invented deliveries of any type on demand', async () => {
  const data = [{ externalId: 'made up', message: 'nothing is wrong' }];
  const madeUp = { issuer: issuer.address, type: 'issue_failed', calledAs: 'issue_postponed', data };
  await control(test.sandbox, 'deliveries', madeUp);
  await expect
    .poll(() => [...receiver.received, ...own.received].map(({ body }) => body))
    .toContainEqual(
      expect.objectContaining({
        type: 'issue_postponed',
        data: [expect.objectContaining(data[0] as object)],
      }),
    );
});

describe('the list of deliveries', () => {
  it('counts them, and is also an HTML page that loads nothing else', async () => {
    const externalId = await issue({ externalId: `<b>&"bold"${randomUUID()}` });
    await expect.poll(() => statusOf(externalId)).toBe('delivered');
    const url = `${test.sandbox.url}/sandbox/deliveries`;
    const { counts } = (await (await fetch(`${url}?status=delivered&limit=1`)).json()) as {
      counts: Record<string, number>;
    };
    expect(counts).toMatchObject({ pending: 0, failed: expect.any(Number), delivered: expect.any(Number) });
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain(`${counts.delivered} delivered`);
    expect(html).toContain('&#60;b&#62;');
    expect(html).not.toMatch(/<b>|<script|src=|https?:\/\/[^"<]*\.(js|css)/);
  });

  it('has a button that sends one again and returns to the list', async () => {
    const { deliveries } = await (await fetch(`${test.sandbox.url}/sandbox/deliveries`)).json();
    const url = `${test.sandbox.url}/sandbox/deliveries/${deliveries[0].id}/again`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      redirect: 'manual',
    });
    expect(response.status).toBe(303);
    const list = response.headers.get('location') ?? '';
    expect(new URL(list, url).href).toBe(`${test.sandbox.url}/sandbox/deliveries`);
    // A proxy may serve the sandbox below a path.
    expect(new URL(list, 'http://proxy.test/below/sandbox/deliveries/1/again').pathname).toBe(
      '/below/sandbox/deliveries',
    );
  });

  it('answers 404 for an unknown id', async () => {
    for (const [id, status] of [
      ['00000000-0000-4000-8000-000000000000', 404],
      ['nonsense', 400],
    ]) {
      const response = await fetch(`${test.sandbox.url}/sandbox/deliveries/${id}/again`, { method: 'POST' });
      expect(response.status).toBe(status);
    }
  });
});

it('a refused delivery is retried by the clock that `clockOffsetMs` moves', async () => {
  const slow = await startTestSandbox({
    settings: { webhook: { url: receiver.url, key: 'k' }, webhookBackoffMs: 60_000 },
  });
  try {
    await turnSandbox(slow.sandbox, { clockOffsetMs: 3_600_000 });
    receiver.answers.push(500);
    const other = new TestIssuer(slow.sandbox.info);
    const picture = (await other.uploadReady('slow.png', 'non_attachment_file', 'picture')).finalUrl;
    expect((await other.post('srrs', { payload: [other.entry(picture)] })).status).toBe(201);
    await expect.poll(() => listed(slow)).toMatchObject([{ status: 'pending', attempts: 1 }]);
    const [{ tries = [], nextAttemptAt } = {} as Partial<Listed>] = await listed(slow);
    const waits = Date.parse(nextAttemptAt ?? '') - Date.parse(tries[0]?.at ?? '');
    // A minute, with some slack for the time between the two readings.
    expect(Math.abs(waits - 60_000)).toBeLessThan(5_000);
    await turnSandbox(slow.sandbox, { clockOffsetMs: 3_600_000 + 60_000 });
    await expect.poll(() => listed(slow)).toMatchObject([{ status: 'delivered' }]);
  } finally {
    await slow.stop();
  }
});

it.each<[string, (test: TestSandbox) => Promise<void>]>([
  ['is set back', ({ sandbox }) => turnSandbox(sandbox, { clockOffsetMs: 0 })],
  ['a restart resets', (test) => test.restart()],
])('a clock that %s puts no delivery off', async (_, reset) => {
  const ahead = await startTestSandbox({
    settings: { webhook: { url: receiver.url, key: 'k' }, webhookBackoffMs: 1_000 },
  });
  try {
    await turnSandbox(ahead.sandbox, { clockOffsetMs: 3_600_000 });
    receiver.answers.push(500);
    const issuer = ahead.sandbox.info.issuers[0]?.address;
    await control(ahead.sandbox, 'deliveries', { issuer, type: 'issue_failed', data: [{}] });
    await expect.poll(() => listed(ahead)).toMatchObject([{ status: 'pending', attempts: 1 }]);
    await reset(ahead);
    await expect.poll(() => listed(ahead), { timeout: 5_000 }).toMatchObject([{ status: 'delivered' }]);
  } finally {
    await ahead.stop();
  }
});

it('the name of a failed issuance’s delivery can be set', async () => {
  const named = await startTestSandbox({
    settings: { webhook: { url: receiver.url, key: 'k' }, webhookFailureType: 'issuance_failed' },
  });
  try {
    const other = new TestIssuer(named.sandbox.info);
    const picture = (await other.uploadReady('named.png', 'non_attachment_file', 'picture')).finalUrl;
    const entry = other.entry(picture, { externalId: 'fail-gas-over-allowance-named' });
    expect((await other.post('srrs', { payload: [entry] })).status).toBe(201);
    await expect
      .poll(() => receiver.entries('issuance_failed').map(({ externalId }) => externalId))
      .toEqual(['fail-gas-over-allowance-named']);
  } finally {
    await named.stop();
  }
});

describe('faults on demand', () => {
  it('lose a webhook, and send one twice', async () => {
    await control(test.sandbox, 'faults', { kind: 'webhook', effect: 'drop' });
    const lost = await issue();
    await expect.poll(() => statusOf(lost)).toBe('dropped');
    const twice = randomUUID();
    await control(test.sandbox, 'faults', { kind: 'webhook', effect: 'double', externalId: twice });
    await issue({ externalId: twice });
    await expect.poll(() => statusOf(twice)).toBe('delivered');
    expect(receiver.entries('issue_complete').map((entry) => entry.externalId)).toEqual([twice, twice]);
  });

  it('lose a response after the request was processed', async () => {
    await control(test.sandbox, 'faults', { kind: 'response', route: 'srrs', when: 'after', effect: 'drop' });
    const entry = issuer.entry(image);
    const requestId = randomUUID();
    await expect(issuer.post('srrs', { requestId, payload: [entry] })).rejects.toThrow();
    expect((await issuer.post('srrs', { requestId, payload: [entry] })).body.message).toBe(
      'Duplicate Request Error: Same requestId already logged',
    );
    expect((await issuer.post('srrs', { requestId: randomUUID(), payload: [entry] })).body.message).toBe(
      'Request Content Error: Current request already logged with status successful',
    );
    await expect.poll(() => statusOf(entry.externalId as string)).toBe('delivered');
  });

  it('answer 502 before the request is processed, and after', async () => {
    for (const when of ['before', 'after'] as const) {
      await control(test.sandbox, 'faults', { kind: 'response', route: 'srrs', when, effect: '502' });
      const payload = [issuer.entry(image)];
      expect(await issuer.post('srrs', { payload })).toEqual({
        status: 502,
        body: { statusCode: 502, message: 'Bad Gateway' },
      });
      expect((await issuer.post('srrs', { payload })).status).toBe(when === 'before' ? 201 : 400);
    }
  });

  it('are listed, cleared, and refused when they are malformed', async () => {
    const url = `${test.sandbox.url}/sandbox/faults`;
    await fetch(url, { method: 'DELETE' });
    await control(test.sandbox, 'faults', { kind: 'webhook', effect: 'drop', externalId: 'never', times: 3 });
    expect(await (await fetch(url)).json()).toMatchObject({ faults: [{ externalId: 'never', times: 3 }] });
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(204);
    expect(await (await fetch(url)).json()).toEqual({ faults: [] });
    const headers = { 'content-type': 'application/json' };
    const wrong = await fetch(url, { method: 'POST', headers, body: '{"kind":"flood"}' });
    expect([wrong.status, (await wrong.json()).statusCode]).toEqual([400, 400]);
    const unknown = await fetch(url.replace('faults', 'settings'), {
      method: 'POST',
      headers,
      body: '{"hashDelay":1}',
    });
    expect(unknown.status).toBe(400);
  });
});

describe('settings that cannot be used are refused', () => {
  const refusal = async (body: object) => {
    const response = await fetch(`${test.sandbox.url}/sandbox/settings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, (await response.json()).message];
  };

  it('as a whole, when one of the addresses is not a licensed user', async () => {
    const nobody = `0x${'1'.repeat(40)}`;
    const quotas = [{ address: issuer.address, srrs: 0 }, { address: nobody }];
    expect(await refusal({ quotas })).toEqual([400, [`quotas.1.address: ${nobody} is no licensed user`]]);
    await issue();
  });

  it('when the key of a target does not fit in a header', async () => {
    for (const key of ['two\nlines', 'ключ', ' blank'])
      expect((await refusal({ webhooks: [{ url: receiver.url, key }] }))[0], key).toBe(400);
  });
});
