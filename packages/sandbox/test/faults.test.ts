import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { magicExternalIds, magicFilenames } from '../src/faults/magic-values.ts';
import { control } from '../testing/control.ts';
import { ownerOf, rpc, TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox, turnSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let test: TestSandbox;
let receiver: WebhookReceiver;
let issuer: TestIssuer;
let image: { finalUrl: string };

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  test = await startTestSandbox({ webhooks: [{ url: receiver.url, key: 'k' }] });
  issuer = new TestIssuer(test.sandbox.info);
  image = await issuer.uploadReady('fault.png', 'non_attachment_file', 'picture');
});
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  await fetch(`${test.sandbox.url}/sandbox/faults`, { method: 'DELETE' });
});

/** A name that no earlier run has stored. */
const fresh = () => `${randomUUID()}.png`;

const testedValues = new Set<string>();

/** Returns an externalId with a magic value, and counts the value as tested. */
function magic(value: string): string {
  testedValues.add(value);
  return `${value}${randomBytes(4).toString('hex')}`;
}

const accept = async (externalId?: string) => {
  const entry = issuer.entry(image.finalUrl, externalId === undefined ? {} : { externalId });
  const { status, body } = await issuer.post('srrs', { payload: [entry] });
  expect(status, JSON.stringify(body)).toBe(201);
  return { externalId: entry.externalId as string, ...body.results[0].srr } as {
    externalId: string;
    tokenId: string;
    metadataCID: string;
  };
};

const times = (externalId: string, type = 'issue_complete') =>
  receiver.entries(type).filter((entry) => entry.externalId === externalId).length;

const untilReported = (externalId: string, type?: string) =>
  expect.poll(() => times(externalId, type), { timeout: 15_000 }).toBe(1);

const failureOf = (externalId: string) =>
  receiver.entries('issue_failed').find((entry) => entry.externalId === externalId)?.message;

async function deliveryOf(externalId: string): Promise<{ id: string; status: string } | undefined> {
  const response = await fetch(`${test.sandbox.url}/sandbox/deliveries`);
  const { deliveries } = (await response.json()) as {
    deliveries: { id: string; status: string; body: { data: { externalId?: string }[] } }[];
  };
  return deliveries.find(({ body }) => body.data.some((entry) => entry.externalId === externalId));
}

const deliveryStatus = async (externalId: string) => (await deliveryOf(externalId))?.status;

describe('mining', () => {
  it.each([
    ['out-of-funds', 'account out of funds'],
    ['nonce', 'nonce out of sync'],
    ['underpriced', 'transaction or replacement underpriced'],
  ])(
    'that meets %s is retried until it passes, and reported as failed when it never does',
    async (kind, reason) => {
      const passing = await accept(magic(`retry-${kind}-`));
      const failing = await accept(magic(`fail-${kind}-`));
      const beside = await accept();
      await untilReported(passing.externalId);
      await untilReported(beside.externalId);
      await untilReported(failing.externalId, 'issue_failed');
      expect(failureOf(failing.externalId)).toBe(reason);
      expect(times(failing.externalId)).toBe(0);
      const { info } = test.sandbox;
      expect(await ownerOf(info, info.registryAddress, passing.tokenId)).toBe(issuer.address.toLowerCase());
      await expect(ownerOf(info, info.registryAddress, failing.tokenId)).rejects.toThrow(/revert/);
    },
  );

  it.each(['nonce', 'underpriced'])(
    'that meets %s does not fail for other records, not even once',
    async (failure) => {
      await turnSandbox(test.sandbox, { miningAttempts: 1 });
      const failing = magic(`fail-${failure}-`);
      const payload = [failing, ...'abcde'].map((name) =>
        issuer.entry(image.finalUrl, name === failing ? { externalId: failing } : {}),
      );
      expect((await issuer.post('srrs', { payload })).status).toBe(201);
      await untilReported(failing, 'issue_failed');
      for (const { externalId } of payload.slice(1)) await untilReported(externalId as string);
      await turnSandbox(test.sandbox, { miningAttempts: 5 });
    },
  );

  it('of fail-gas-over-allowance- is reported as failed at once', async () => {
    const { externalId } = await accept(magic('fail-gas-over-allowance-'));
    await untilReported(externalId, 'issue_failed');
    expect(failureOf(externalId)).toBe('required gas over the allowance');
  });

  it("fails for any record, as often as the fault's `times`", async () => {
    await control(test.sandbox, 'faults', { kind: 'mining', failure: 'nonce', times: 2 });
    const { externalId } = await accept();
    await untilReported(externalId);
    expect(await armed()).toEqual([]);
  });

  it('reports each failed attempt and the outcome, if the setting is on', async () => {
    await turnSandbox(test.sandbox, { webhooksOfRetries: true });
    const passing = await accept(magic('retry-nonce-'));
    const failing = await accept(magic('fail-nonce-'));
    await untilReported(passing.externalId);
    expect(times(passing.externalId, 'issue_failed')).toBe(2);
    expect(failureOf(passing.externalId)).toBe('nonce out of sync');
    await expect.poll(() => times(failing.externalId, 'issue_failed'), { timeout: 15_000 }).toBe(5);
    await turnSandbox(test.sandbox, { webhooksOfRetries: false });
  });

  it('waits while the operator is out of funds, and succeeds once it is funded', async () => {
    const operator = await operatorOf();
    await turnSandbox(test.sandbox, { miningAttempts: 50 });
    const balance = await rpc(test.sandbox.info, 'eth_getBalance', [operator, 'latest']);
    await rpc(test.sandbox.info, 'anvil_setBalance', [operator, '0x0']);
    const { externalId } = await accept();
    // Longer than one attempt, which has failed by then and is retried.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(times(externalId)).toBe(0);
    expect(times(externalId, 'issue_failed')).toBe(0);
    await rpc(test.sandbox.info, 'anvil_setBalance', [operator, balance]);
    await untilReported(externalId);
    await turnSandbox(test.sandbox, { miningAttempts: 5 });
  });

  it('is repeated when another transaction used the operator’s nonce', async () => {
    await rpc(test.sandbox.info, 'eth_sendTransaction', [
      { from: await operatorOf(), to: issuer.address, value: '0x0' },
    ]);
    await untilReported((await accept()).externalId);
  });

  it('is repeated at a higher price when the base fee has risen', async () => {
    await rpc(test.sandbox.info, 'anvil_setNextBlockBaseFeePerGas', ['0xba43b7400']);
    await untilReported((await accept()).externalId);
  });
});

/** The first account of the node. */
async function operatorOf(): Promise<string> {
  const [operator] = (await rpc(test.sandbox.info, 'eth_accounts', [])) as string[];
  if (operator === undefined) throw new Error('a development node has accounts');
  return operator;
}

async function armed(): Promise<unknown[]> {
  const response = await fetch(`${test.sandbox.url}/sandbox/faults`);
  return ((await response.json()) as { faults: unknown[] }).faults;
}

describe('a webhook', () => {
  it('can be lost, and arrives when it is sent again', async () => {
    const { externalId } = await accept(magic('lose-webhook-'));
    await expect.poll(() => deliveryStatus(externalId)).toBe('dropped');
    expect(times(externalId)).toBe(0);
    await control(test.sandbox, `deliveries/${(await deliveryOf(externalId))?.id}/again`);
    await untilReported(externalId);
    expect(await deliveryStatus(externalId)).toBe('delivered');
  });

  it('can arrive twice', async () => {
    const { externalId } = await accept(magic('double-webhook-'));
    await expect.poll(() => deliveryStatus(externalId)).toBe('delivered');
    expect(times(externalId)).toBe(2);
  });

  it('can arrive late', async () => {
    const { externalId } = await accept(magic('late-webhook-'));
    await expect.poll(() => deliveryStatus(externalId)).toBe('pending');
    const after = await accept();
    await untilReported(after.externalId);
    expect(times(externalId)).toBe(0);
    await turnSandbox(test.sandbox, { clockOffsetMs: 10_000 });
    await untilReported(externalId);
    await turnSandbox(test.sandbox, { clockOffsetMs: 0 });
  });

  it('can be overtaken by the next one', async () => {
    // The first is held for five seconds, so the second must be queued by then.
    await turnSandbox(test.sandbox, { webhooksPaused: true });
    const first = await accept(magic('reorder-webhook-'));
    await expect.poll(() => deliveryStatus(first.externalId)).toBe('pending');
    const second = await accept();
    await expect.poll(() => deliveryStatus(second.externalId)).toBe('pending');
    await turnSandbox(test.sandbox, { webhooksPaused: false });
    await untilReported(second.externalId);
    await untilReported(first.externalId);
    const order = receiver.entries('issue_complete').map((entry) => entry.externalId);
    expect(order.indexOf(second.externalId)).toBeLessThan(order.indexOf(first.externalId));
  });

  it('is overtaken by a later one, not by one of the same request', async () => {
    const reordered = magic('reorder-webhook-');
    const payload = [{}, { externalId: reordered }].map((more) => issuer.entry(image.finalUrl, more));
    expect((await issuer.post('srrs', { payload })).status).toBe(201);
    await untilReported(payload[0]?.externalId as string);
    const later = await accept();
    await untilReported(later.externalId);
    await untilReported(reordered);
    const order = receiver.entries('issue_complete').map((entry) => entry.externalId);
    expect(order.indexOf(later.externalId)).toBeLessThan(order.indexOf(reordered));
  });

  it('is affected by faults in the same ways, and only for its externalId', async () => {
    const slow = randomUUID();
    await control(test.sandbox, 'faults', {
      kind: 'webhook',
      effect: 'late',
      delayMs: 400,
      externalId: slow,
    });
    await control(test.sandbox, 'faults', { kind: 'webhook', effect: 'double', type: 'collection_created' });
    await accept(slow);
    const quick = await accept();
    await untilReported(quick.externalId);
    await untilReported(slow);
  });
});

describe('a response', () => {
  const post = (externalId: string) =>
    issuer.post('srrs', { payload: [{ ...issuer.entry(image.finalUrl), externalId }] });

  it('can be lost, before or after the request is processed', async () => {
    const before = magic('drop-request-');
    const after = magic('drop-response-');
    for (const id of [before, after]) await expect(post(id)).rejects.toThrow();
    // The repeated requests get responses: one request was never processed, the other was.
    expect((await post(before)).status).toBe(201);
    expect((await post(after)).body.message.results[0].message).toBe('DUPLICATE_EXTERNAL_ID');
    await untilReported(after);
  });

  it('can be a 502, before or after the request is processed', async () => {
    const before = magic('bad-gateway-before-');
    const after = magic('bad-gateway-after-');
    const badGateway = { status: 502, body: { statusCode: 502, message: 'Bad Gateway' } };
    for (const id of [before, after]) expect(await post(id)).toEqual(badGateway);
    expect((await post(before)).status).toBe(201);
    expect((await post(after)).body.message.results[0].message).toBe('DUPLICATE_EXTERNAL_ID');
  });

  it('can come after the client’s time-out, although the request is processed', async () => {
    const id = magic('late-response-');
    const client = new AbortController();
    const late = fetch(`${test.sandbox.url}/port/api/v1/commerce/srrs`, {
      method: 'POST',
      headers: {
        'commerce-api-key': issuer.apiKey,
        'issuer-address': issuer.address,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({ payload: [issuer.entry(image.finalUrl, { externalId: id })] }),
      signal: client.signal,
    });
    // A failure of the request itself must fail this test at once, not be left unhandled.
    await Promise.race([untilReported(id), late.then(() => expect.unreachable('it was answered'))]);
    client.abort(new Error('no answer yet'));
    await expect(late).rejects.toThrow('no answer yet');
  });

  it('is in_progress while a request with the same content is being processed', async () => {
    const payload = [issuer.entry(image.finalUrl, { externalId: magic('in-progress-') })];
    // Whichever of the two is second arrives while the first is being processed.
    const both = await Promise.all([1, 2].map(() => issuer.post('srrs', { payload })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect(both.find(({ status }) => status === 400)?.body.message).toBe(
      'Request Content Error: Current request already logged with status in_progress',
    );
    expect((await issuer.post('srrs', { payload })).body.message).toBe(
      'Request Content Error: Current request already logged with status successful',
    );
  });

  it('of every endpoint can get a fault', async () => {
    for (const route of ['signedUrls', 'fileMetadata', 'collection'] as const) {
      await control(test.sandbox, 'faults', { kind: 'response', route, when: 'before', effect: '502' });
      expect((await issuer.post(route, { payload: {} })).status, route).toBe(502);
      expect((await issuer.post(route, { payload: {} })).status, route).toBe(400);
    }
    await control(test.sandbox, 'faults', {
      kind: 'response',
      route: 'signedUrls',
      when: 'before',
      effect: 'late',
      delayMs: 300,
    });
    const began = performance.now();
    await issuer.sign('late.png', 'artwork');
    expect(performance.now() - began).toBeGreaterThan(299);
  });
});

describe('a fault with a probability', () => {
  /** Which of 30 requests the fault affected. */
  async function pattern(seed: string): Promise<string> {
    await fetch(`${test.sandbox.url}/sandbox/faults`, { method: 'DELETE' });
    await control(test.sandbox, 'faults', {
      kind: 'response',
      route: 'fileMetadata',
      when: 'before',
      effect: '502',
      times: 1_000,
      probability: 0.4,
      seed,
    });
    let struck = '';
    for (let n = 0; n < 30; n++)
      struck += (await issuer.post('fileMetadata', { payload: [] })).status === 502 ? 'x' : '.';
    return struck;
  }

  it('is injected on the same occasions with the same seed, and on others with another seed', async () => {
    const first = await pattern('a failing run');
    expect(first).toMatch(/x/);
    expect(first).toMatch(/\./);
    expect(await pattern('a failing run')).toBe(first);
    expect(await pattern('another run')).not.toBe(first);
  });
});

describe('a hash', () => {
  const stateOf = async (filename: string) => {
    const payload = [{ filename, category: 'artwork' }];
    const { message, hash } = (await issuer.post('fileMetadata', { payload })).body.results[0];
    return message ?? (hash ? 'ready' : 'nothing');
  };

  it('of a magic filename is late, or never available, and delays no other', async () => {
    const slow = magic('slow-hash-');
    const never = magic('never-hash-');
    for (const name of [slow, never]) await issuer.upload(`${name}.png`, 'artwork', name);
    await issuer.uploadReady('quick.png', 'artwork', 'quick');
    expect(await stateOf(`${slow}.png`)).toBe('HASH_STILL_IN_CALCULATION');
    await turnSandbox(test.sandbox, { clockOffsetMs: 60_000 });
    await expect.poll(() => stateOf(`${slow}.png`)).toBe('ready');
    expect(await stateOf(`${never}.png`)).toBe('HASH_STILL_IN_CALCULATION');
    await turnSandbox(test.sandbox, { clockOffsetMs: 0 });
  });

  it('can be delayed by a fault', async () => {
    const filename = fresh();
    await control(test.sandbox, 'faults', { kind: 'hash', filename, delayMs: 400 });
    await issuer.upload(filename, 'artwork', 'asked');
    expect(await stateOf(filename)).toBe('HASH_STILL_IN_CALCULATION');
    await expect.poll(() => stateOf(filename)).toBe('ready');
  });
});

describe('the storage', () => {
  const arm = (kind: 'upload' | 'download', effect: string, filename: string, more: object = {}) =>
    control(test.sandbox, 'faults', { kind, effect, filename, ...more });

  const put = async (filename: string, init: RequestInit = {}) => {
    const { url, contentType } = await issuer.sign(filename, 'artwork');
    const headers = { 'content-type': contentType };
    return (await fetch(url, { method: 'PUT', headers, body: 'picture', ...init })).status;
  };

  const stored = async (filename: string) => {
    const payload = [{ filename, category: 'artwork' }];
    return (await issuer.post('fileMetadata', { payload })).status === 200;
  };

  it('can lose an upload before it is stored, or the response after that', async () => {
    const [dropped, lost] = [fresh(), fresh()];
    await arm('upload', 'drop', dropped);
    await arm('upload', 'lost', lost);
    for (const name of [dropped, lost]) await expect(put(name)).rejects.toThrow();
    expect([await stored(dropped), await stored(lost)]).toEqual([false, true]);
    expect([await put(dropped), await put(lost)]).toEqual([200, 412]);
  });

  it('can refuse an upload once with 503, or answer it after the client’s time-out', async () => {
    const [busy, late] = [fresh(), fresh()];
    await arm('upload', '503', busy);
    expect([await put(busy), await put(busy)]).toEqual([503, 200]);
    await arm('upload', 'late', late);
    await expect(put(late, { signal: AbortSignal.timeout(500) })).rejects.toThrow(/timeout/i);
    expect(await stored(late)).toBe(true);
  });

  it('can do the same to reads of public and private files', async () => {
    const read = async (url: string, contentType = '') => {
      const response = await fetch(url, { headers: { 'content-type': contentType } });
      return `${response.status} ${response.ok ? await response.text() : ''}`;
    };
    const open = await issuer.upload('open.txt', 'artwork', 'a picture');
    await issuer.upload('closed.txt', 'certificate', 'a certificate');
    const closed = await issuer.sign('closed.txt', 'certificate', 'read');
    await arm('download', 'drop', 'open.txt');
    expect(await read(closed.url, closed.contentType)).toBe('200 a certificate');
    await expect(read(open)).rejects.toThrow();
    await arm('download', 'cut', 'closed.txt');
    const cut = await fetch(closed.url, { headers: { 'content-type': closed.contentType } });
    expect([cut.status, cut.headers.get('content-length')]).toEqual([200, '13']);
    await expect(cut.text()).rejects.toThrow();
    const empty = await issuer.upload('empty.txt', 'artwork', '');
    await arm('download', 'cut', 'empty.txt');
    expect(await read(empty)).toBe('200 ');
    await arm('download', '503', 'open.txt');
    expect(await read(open)).toBe('503 ');
    await arm('download', 'late', 'open.txt', { delayMs: 300 });
    const began = performance.now();
    expect(await read(open)).toBe('200 a picture');
    expect(performance.now() - began).toBeGreaterThan(299);
    expect(await armed()).toEqual([]);
  });
});

it('every magic value has a test in this file', () => {
  expect([...testedValues].sort()).toEqual(
    [...Object.keys(magicExternalIds), ...Object.keys(magicFilenames)].sort(),
  );
});
