import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Issuer } from '../../src/config/config.ts';
import { parseDelivery } from '../../src/events/parse-delivery.ts';
import type { EventType } from '../../src/model/event-type.ts';
import { issuerNumber } from '../_util/event-store.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { tablesOf } from '../_util/tables.ts';

const maxBytes = 20_000;
const signingSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

let gateway: TestGateway;
let others: Issuer[];
/** An issuer without a webhook key, whose deliveries are signed. */
let signing: Issuer;
let hook: string;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    env: { WEBHOOK_MAX_BYTES: String(maxBytes) },
    issuers: ([first, ...rest]) => {
      const two = [...(first?.webhookKeys ?? []), 'the-next-webhook-key'];
      others = rest;
      signing = {
        address: issuerNumber(1),
        apiKey: 'the-key-of-a-signer',
        webhookKeys: [],
        signingSecrets: [signingSecret(), signingSecret()],
        tokens: [],
      };
      return [{ ...(first as Issuer), webhookKeys: two }, ...rest, signing];
    },
  });
  hook = `${gateway.app.url}/webhooks/commerce`;
  key = gateway.issuer.webhookKeys[0] as string;
});
afterAll(() => gateway?.stop());

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  body: any;
  headers: Headers;
}

async function send(
  body: unknown,
  { url = hook, method = 'POST', ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

/** A delivery with a new externalId. */
const delivery = (more: object = {}, type = 'issue_failed') => ({
  type,
  version: 1,
  data: [{ groupId: 'g', externalId: randomUUID(), message: 'out of gas', ...more }],
});

async function logOf(externalIds: string[]) {
  const { events } = await gateway.caller.data(
    `query ($where: EventFilter) { events(first: 50, where: $where) {
      edges { node { __typename type source raw ... on UnrecognizedEvent { kind } } } } }`,
    { where: { externalIds } },
  );
  return events.edges.map((edge: { node: object }) => edge.node);
}

const refusal = (code: string, message: RegExp) => ({
  error: { code, message: expect.stringMatching(message) },
});

describe('a delivery is refused', () => {
  it.each([
    ['without a key', { 'x-api-key': '' }],
    ['with an unknown key', { 'x-api-key': 'guessed-webhook-key' }],
    ['with two keys at once', { 'x-api-key': 'guessed, too' }],
  ])('with 401 %s, whatever its body is', async (_, headers) => {
    const { status, body } = await send('this is not even JSON', headers);
    expect(status).toBe(401);
    expect(body).toMatchObject(refusal('UNAUTHENTICATED', /x-api-key must have a webhook key/));
    expect(JSON.stringify(body)).not.toContain('guessed');
  });

  it.each([
    ['an empty body', ''],
    ['truncated JSON', '{"type": "issue_complete", "data": ['],
    ['control characters', '\u0000\u0001'],
  ])('with 400 when it is not JSON: %s', async (_, text) => {
    const { status, body } = await send(text);
    expect([status, body]).toEqual([400, refusal('INVALID_INPUT', /not JSON/)]);
  });

  it.each([
    ['a string', 'hello'],
    ['null', null],
    ['an empty list', []],
    ['a list of strings', ['x']],
  ])('with 400 when it is neither an object nor a list of objects: %s', async (_, value) => {
    const { status, body } = await send(JSON.stringify(value));
    expect([status, body]).toEqual([
      400,
      refusal('INVALID_INPUT', /^The body is not a delivery\. Send a JSON object, such as/),
    ]);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-seq',
    '',
  ])('with 415 when its Content-Type is "%s"', async (type) => {
    const { status, body } = await send(delivery(), { 'content-type': type });
    expect([status, body]).toEqual([415, refusal('INVALID_INPUT', /application\/json/)]);
  });

  it('with 415 when it is compressed', async () => {
    const { status, body } = await send(delivery(), { 'content-encoding': 'gzip' });
    expect([status, body]).toEqual([415, refusal('INVALID_INPUT', /uncompressed/)]);
  });

  it('with 413 when its Content-Length is too large, and every sender gets the response', async () => {
    const long = delivery({ padding: 'x'.repeat(2_000_000) });
    for (let i = 0; i < 10; i++) {
      const { status, body } = await send(long);
      expect([status, body]).toEqual([413, refusal('INVALID_INPUT', /longer than 20000 bytes/)]);
    }
  });

  it('with 413 when it is chunked and becomes too long', async () => {
    expect(await sendChunked(Buffer.from(JSON.stringify(delivery({ padding: 'x'.repeat(300_000) }))))).toBe(
      413,
    );
    expect(await sendChunked(Buffer.from(JSON.stringify(delivery({ padding: 'x'.repeat(10_000) }))))).toBe(
      200,
    );
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('with 405 when its method is %s', async (method) => {
    const { status, body, headers } = await send('', { method });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    expect(body).toEqual(refusal('INVALID_INPUT', /takes POST, not/));
  });

  it('and adds nothing to the event log', async () => {
    const lost = delivery();
    await send(lost, { 'x-api-key': 'guessed-webhook-key' });
    await send(lost, { 'content-type': 'text/plain' });
    expect(await logOf([lost.data[0]?.externalId as string])).toEqual([]);
  });
});

describe('a delivery is accepted', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON ;charset=UTF-8',
    'application/vnd.records+json',
    'text/json',
  ])('as %s', async (type) => {
    const one = delivery();
    expect(await send(one, { 'content-type': type })).toMatchObject({
      status: 200,
      body: { stored: 1, repeated: 0 },
    });
    expect(await logOf([one.data[0]?.externalId as string])).toMatchObject([
      { type: 'SRR_FAILED', source: 'WEBHOOK', raw: one.data[0] },
    ]);
  });

  it('only once when it is repeated or grouped differently', async () => {
    const one = delivery();
    expect((await send(one)).body).toEqual({ stored: 1, repeated: 0 });
    expect((await send(one)).body).toEqual({ stored: 0, repeated: 1 });
    const [entry] = one.data;
    const regrouped = { version: 1, data: [{ ...entry, groupId: 'another' }, entry], type: one.type };
    expect((await send(regrouped)).body).toEqual({ stored: 0, repeated: 2 });
    const atOnce = delivery();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(atOnce)));
    expect(answers.map(({ body }) => body.stored).toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    for (const { data } of [one, atOnce])
      expect(await logOf([data[0]?.externalId as string])).toHaveLength(1);
  });

  it('as UNRECOGNIZED, with its content, when its type is unknown or its ids are missing', async () => {
    const novel = delivery({ rating: { stars: 5 } }, 'record_rated');
    const nameless = delivery({}, 'issue_complete');
    for (const one of [novel, nameless]) expect((await send(one)).body).toEqual({ stored: 1, repeated: 0 });
    expect(await logOf([novel, nameless].map(({ data }) => data[0]?.externalId as string))).toEqual(
      [novel, nameless].map(({ type, data }) => ({
        __typename: 'UnrecognizedEvent',
        type: 'UNRECOGNIZED',
        source: 'WEBHOOK',
        kind: type,
        raw: data[0],
      })),
    );
  });

  it('and shown as UNRECOGNIZED when a newer release stored it with an unknown type', async () => {
    const one = delivery({}, 'record_rated');
    const externalId = one.data[0]?.externalId as string;
    expect((await send(one)).body).toEqual({ stored: 1, repeated: 0 });
    await tablesOf(gateway.database)
      .updateTable('event')
      .set({ type: 'SRR_RATED' as EventType })
      .where('external_id', '=', externalId)
      .execute();
    expect(await logOf([externalId])).toMatchObject([
      { __typename: 'UnrecognizedEvent', type: 'UNRECOGNIZED', kind: 'record_rated', raw: one.data[0] },
    ]);
  });

  it.each([
    ['has no data', (id: string) => ({ type: 'record_rated', externalId: id }), 'record_rated'],
    [
      'has one object as data',
      (id: string) => ({ type: 'record_rated', data: { externalId: id } }),
      'record_rated',
    ],
    ['has type null', (id: string) => ({ type: null, data: [{ externalId: id }] }), 'untyped'],
    ['has an empty type', (id: string) => ({ type: '', data: [{ externalId: id }] }), 'untyped'],
    ['has a number as type', (id: string) => ({ type: 7, data: [{ externalId: id }] }), '7'],
    ['holds its entries as results', (id: string) => ({ results: [{ externalId: id }] }), 'untyped'],
    ['is a list of deliveries', (id: string) => [{ type: 'x', data: [{ externalId: id }] }], 'x'],
  ])('as UNRECOGNIZED when it %s', async (_, shaped, kind) => {
    const id = randomUUID();
    expect(await send(shaped(id))).toMatchObject({ status: 200, body: { stored: 1, repeated: 0 } });
    expect(await logOf([id])).toMatchObject([{ type: 'UNRECOGNIZED', kind }]);
  });

  it.each([
    ['nothing', {}],
    ['an empty list', { type: 'issue_complete', data: [] }],
    ['entries that are not objects', { type: 'issue_complete', data: ['x', 7] }],
    ['deep nesting', `{"type":"x","data":[{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}]}`],
  ])('when it holds %s', async (_, body) => {
    const { status, body: answer } = await send(body);
    expect([status, answer.stored + answer.repeated]).toEqual([200, 1]);
  });

  it.each([
    ['issue_complete', { status: 'failed' }],
    ['issue_complete', { status: 'waiting_for_mining' }],
    ['issue_complete', { status: { toString: 'issued', valueOf: 1 } }],
    ['issue_complete', { success: false }],
    ['issue_complete', { error: 'out of gas' }],
    ['issue_failed', { status: 'issued' }],
    ['issue_failed', { srr: { status: 'issued' } }],
  ])('as UNRECOGNIZED when it contradicts itself: %s with %j', async (type, more) => {
    const one = delivery({ tokenId: '7', ...more }, type);
    expect((await send(one)).status).toBe(200);
    expect(await logOf([one.data[0]?.externalId as string])).toMatchObject([
      { type: 'UNRECOGNIZED', kind: type, raw: one.data[0] },
    ]);
  });

  it('with ids in the form of an issue response or of a read endpoint', () => {
    const registryAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const collection = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
    const read = (entry: object) => {
      const text = JSON.stringify({ type: 'issue_complete', data: [entry] });
      const [event] = parseDelivery(text, { deliveryTypes: {}, registryAddress });
      return [event?.type, event?.externalId, event?.tokenId, event?.collection];
    };
    const srr = { tokenId: '7', collectionContractAddress: collection };
    expect(read({ externalId: 'a', status: 'issued', srr })).toEqual(['SRR_ISSUED', 'a', '7', collection]);
    expect(read({ srrId: `${collection.toLowerCase()}-7` })).toEqual(['SRR_ISSUED', null, '7', collection]);
    expect(read({ srrId: `${registryAddress}-7` })).toEqual(['SRR_ISSUED', null, '7', null]);
    expect(read({ tokenId: '7', collectionContractAddress: registryAddress })).toEqual([
      'SRR_ISSUED',
      null,
      '7',
      null,
    ]);
  });

  it('as UNRECOGNIZED when it has no type, unless WEBHOOK_TYPES maps untyped deliveries', async () => {
    const { data } = delivery();
    expect((await send({ data })).body).toEqual({ stored: 1, repeated: 0 });
    expect(await logOf([data[0]?.externalId as string])).toMatchObject([
      { type: 'UNRECOGNIZED', kind: 'untyped', raw: data[0] },
    ]);
    const [event] = parseDelivery('{"data": [{"srrId": "7"}]}', { deliveryTypes: { untyped: 'SRR_ISSUED' } });
    expect(event).toMatchObject({ type: 'SRR_ISSUED', tokenId: '7' });
  });

  it('with a token id as a string or a number, with or without leading zeros', () => {
    const tokenIdOf = (entry: object) =>
      parseDelivery(JSON.stringify({ type: 'issue_complete', data: [entry] }), { deliveryTypes: {} })[0]
        ?.tokenId;
    const forms = [{ tokenId: '7' }, { tokenId: '007' }, { srrId: '07' }, { tokenId: 7 }];
    expect(forms.map(tokenIdOf)).toEqual(['7', '7', '7', '7']);
    expect(['0', '000', '7x', '-7', '0x7', '7'.repeat(79)].map((tokenId) => tokenIdOf({ tokenId }))).toEqual([
      '0',
      '0',
      null,
      null,
      null,
      null,
    ]);
  });

  it('with each of several valid keys, so that a key can be rotated', async () => {
    for (const live of gateway.issuer.webhookKeys)
      expect((await send(delivery(), { 'x-api-key': live })).status).toBe(200);
  });

  it('with its ids when a string in it is not UTF-8', async () => {
    const one = delivery({ message: 'M\u00fcller' });
    const body = Buffer.from(JSON.stringify(one), 'latin1');
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    expect((await fetch(hook, { method: 'POST', headers, body })).status).toBe(200);
    const [event] = await logOf([one.data[0]?.externalId as string]);
    expect(event).toMatchObject({ type: 'SRR_FAILED', raw: { message: 'M\ufffdller' } });
  });

  it('with a byte order mark before it', async () => {
    expect((await send(`\ufeff${JSON.stringify(delivery())}`)).body).toEqual({ stored: 1, repeated: 0 });
  });

  it('with names such as __proto__ and constructor', async () => {
    const externalId = randomUUID();
    const text = `{"type":"constructor","data":[{"externalId":"${externalId}","__proto__":{"polluted":1},"constructor":2}]}`;
    expect((await send(text)).status).toBe(200);
    expect(await logOf([externalId])).toMatchObject([{ type: 'UNRECOGNIZED', kind: 'constructor' }]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('with characters that the database cannot store, which are replaced', async () => {
    const externalId = randomUUID();
    const text = `{"type":"issue_failed","data":[{"externalId":"${externalId}","note":"a\\u0000b\\ud800c","k\\u0000":1}]}`;
    expect((await send(text)).body).toEqual({ stored: 1, repeated: 0 });
    expect((await send(text)).body).toEqual({ stored: 0, repeated: 1 });
    expect(await logOf([externalId])).toMatchObject([{ raw: { note: 'a�b�c', 'k�': 1 } }]);
  });

  it('at the path of its issuer’s address, in any letter case, with only that issuer’s key', async () => {
    const { address } = gateway.issuer;
    for (const path of [address, address.toLowerCase()])
      expect((await send(delivery(), { url: `${hook}/${path}` })).status).toBe(200);
    const [other] = others as [Issuer];
    const theirs = { 'x-api-key': other.webhookKeys[0] as string };
    expect((await send(delivery(), { url: `${hook}/${address}`, ...theirs })).status).toBe(401);
    const one = delivery();
    expect((await send(one, { url: `${hook}/${other.address}`, ...theirs })).status).toBe(200);
    expect(await logOf([one.data[0]?.externalId as string])).toEqual([]);
    for (const path of ['nonsense', '0x12', `${address}/more`]) {
      const { status, body } = await send(delivery(), { url: `${hook}/${path}` });
      expect([status, body]).toEqual([404, refusal('INVALID_INPUT', /no address.*<issuer address>/)]);
    }
  });
});

describe('a delivery that cannot be stored as JSON', () => {
  it.each([
    ['', 9_000],
    ['\\u0000', 9_000],
    ['\\ud800', 9_000],
    ['\\u0000', 100],
  ])('is stored as text: with %j, nested %i levels deep', async (bad, levels) => {
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const body = `{"type":"issue_failed","data":[{"externalId":"${randomUUID()}${bad}","x":${deep}}]}`;
    expect(await send(body)).toMatchObject({ status: 200, body: { stored: 1 } });
  });
});

describe('a delivery to an issuer with signing secrets', () => {
  const sendSigned = (secret: string, over: { sent?: string; at?: Date; url?: string } = {}) => {
    const signed = JSON.stringify(delivery());
    const { sent = signed, at = new Date(), url = `${hook}/${signing.address}` } = over;
    return send(sent, {
      url,
      'x-api-key': '',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': `v1,bm9uZQ== ${new Webhook(secret).sign('msg_1', at, signed)}`,
    });
  };
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

  it('is accepted with a signature by any of them', async () => {
    for (const secret of signing.signingSecrets)
      expect(await sendSigned(secret)).toMatchObject({ status: 200, body: { stored: 1, repeated: 0 } });
  });

  it('is refused with 401 when its signature is missing, wrong or too old', async () => {
    const [secret] = signing.signingSecrets as [string];
    const refused = [
      await send(delivery(), { url: `${hook}/${signing.address}`, 'x-api-key': '' }),
      await sendSigned(signingSecret()),
      await sendSigned(secret, { sent: JSON.stringify(delivery()) }),
      await sendSigned(secret, { at: minutesAgo(6) }),
      await sendSigned(secret, { at: minutesAgo(-6) }),
    ];
    for (const { status, body } of refused)
      expect([status, body]).toEqual([401, refusal('UNAUTHENTICATED', /webhook-signature/)]);
    // Without the issuer's path or a key, even a valid signature does not identify the issuer.
    expect((await sendSigned(secret, { url: hook })).status).toBe(401);
    expect((await sendSigned(secret, { url: `${hook}/${gateway.issuer.address}` })).status).toBe(401);
  });
});

/** Sends a body without Content-Length, so that the receiver must count its bytes. */
function sendChunked(body: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = request(
      hook,
      { method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sending.on('error', reject);
    for (let at = 0; at < body.length; at += 5_000) sending.write(body.subarray(at, at + 5_000));
    sending.end();
  });
}
