import { type ClientOptions, createClient, type Subscribe } from '@srr-gateway/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient as createBrowserClient } from '../../packages/client/dist/index.js';
import { type LoneGateway, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';

let gateway: LoneGateway;
const clientWith = (options: Partial<ClientOptions> = {}) =>
  createClient({ url: `${gateway.address}/graphql`, token: loneToken, retryForMs: 0, ...options });
beforeAll(async () => {
  gateway = await startLoneGateway();
});
afterAll(() => gateway?.stop());

/** JavaScript may pass what the types forbid. */
const none = [undefined, null] as never[];
const query = '{ __typename }';
const mutation = 'mutation { createUploads(input: { files: [] }) { userErrors { code } } }';

it('replaces undefined options of a call by those of the client', async () => {
  const retries: unknown[] = [];
  const client = clientWith({
    url: 'http://127.0.0.1:1',
    retryForMs: 400,
    onRetry: (one) => retries.push(one),
  });
  const call = client.query(query, {}, { retryForMs: undefined, onRetry: undefined });
  await expect(call).rejects.toMatchObject({ code: 'NO_ANSWER' });
  expect(retries).not.toEqual([]);
});

describe.each(none)('%s', (nothing) => {
  it('stands for no variables, no options, no signal and no token', async () => {
    const anonymous = clientWith({ token: async () => nothing });
    expect((await anonymous.query('{ viewer { issuer } }')).data).toEqual({ viewer: null });
    const client = clientWith();
    expect((await client.query(query, nothing, nothing)).data).toEqual({ __typename: 'Query' });
    const refused = { createUploads: { userErrors: [{ code: 'INVALID_INPUT' }] } };
    expect((await client.mutate(mutation, nothing, nothing)).data).toEqual(refused);
    expect((await client.mutate(mutation, { input: nothing }, { signal: nothing })).data).toEqual(refused);
    const results = client.subscribe('subscription { issuance(id: "none") { id } }', nothing, nothing);
    const first = results[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it.each([
    ['a document', /^A document must be text/, (client) => client.query(nothing)],
    ['a document', /^A document must be text/, (client) => client.mutate(nothing)],
    ['the options of follow', /^follow needs `onEvent`/, (client) => client.follow(nothing)],
    ['onEvent', /^follow needs `onEvent`/, (client) => client.follow({ onEvent: nothing })],
    ['the options of issue', /^issue needs a `requestId`/, (client) => client.issue([], nothing).stored],
    ['requestId', /^issue needs a `requestId`/, (client) => client.issueAndWait([], { requestId: nothing })],
    ['a file', /^upload needs a file/, (client) => client.upload(nothing, { category: 'ARTWORK' })],
    ['the options of upload', /^upload needs a `filename`/, (client) => client.upload(new Blob([]), nothing)],
    ['the key of an issuance', /exactly one of id and requestId/, (client) => client.issuance(nothing).done],
  ] satisfies [string, RegExp, (client: ReturnType<typeof clientWith>) => Promise<unknown>][])(
    'in the place of %s is refused by name',
    async (_what, message, call) => {
      await expect(call(clientWith())).rejects.toThrow(message);
    },
  );

  it('in the place of a file is refused by name, also in a page', async () => {
    const page = createBrowserClient({ url: `${gateway.address}/graphql` });
    await expect(page.upload(nothing, { category: 'ARTWORK' })).rejects.toThrow(/^upload needs a file/);
  });
});

describe('a value of a wrong type', () => {
  it.each([
    ['fetch', 'no function'],
    ['headers', new Headers({ 'x-name': 'value' })],
    ['headers', [['x-name', 'value']]],
    ['transport', 'ws'],
    ['timeoutMs', Number.NaN],
    ['timeoutMs', '1000'],
    ['retryForMs', Number.NaN],
    ['retryForMs', '1000'],
  ])('as %s is refused by name before a request', (name, value) => {
    expect(() => clientWith({ [name]: value })).toThrow(new RegExp(`^${name} must be `));
  });

  const signal = new AbortController() as never;
  it.each<[string, (client: ReturnType<typeof clientWith>) => Promise<unknown>]>([
    ['query', (client) => client.query(query, {}, { signal })],
    ['mutate', (client) => client.mutate(mutation, {}, { signal })],
    ['subscribe', (client) => client.subscribe('', {}, signal)[Symbol.asyncIterator]().next()],
    ['follow', (client) => client.follow({ onEvent: () => {}, signal })],
    ['issue', (client) => client.issue([], { requestId: 'a', signal }).done],
    ['issuance', (client) => client.issuance({ id: 'a' }, { signal }).done],
    ['upload', (client) => client.upload(new Blob([]), { filename: 'a.png', category: 'ARTWORK', signal })],
  ])('as the signal of %s is refused by name', async (_, call) => {
    await expect(call(clientWith())).rejects.toThrow(/^signal must be an AbortSignal/);
  });

  it.each<[string, (client: ReturnType<typeof clientWith>, options: never) => Promise<unknown>]>([
    ['query', (client, options) => client.query(query, options)],
    ['mutate', (client, options) => client.mutate(mutation, options)],
    ['subscribe', (client, options) => client.subscribe('', options)[Symbol.asyncIterator]().next()],
  ])('as the variables of %s, such as its options, is refused by name', async (_, call) => {
    for (const options of [{ signal: AbortSignal.abort() }, AbortSignal.abort()])
      await expect(call(clientWith(), options as never)).rejects.toThrow(/^A signal is not a variable/);
  });

  it('as the start of follow is refused before a position is saved', async () => {
    const saved: string[] = [];
    const options = { from: 'beginning' as never, onEvent: () => {}, save: (one: string) => saved.push(one) };
    await expect(clientWith().follow(options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(saved).toEqual([]);
  });

  it('as the document of follow, such as one without `cursor`, is refused at the first event', async () => {
    const document = 'subscription ($after: String) { events(after: $after) { __typename } }';
    const subscribe: Subscribe = async function* () {
      yield { data: { events: { __typename: 'SRRIssued' } } };
    };
    const followed = clientWith().follow({ document, subscribe, after: 'a', onEvent: () => {} });
    await expect(followed).rejects.toThrow('The document must select `cursor`.');
  });

  const where = { types: ['SRR_ISSUED' as const] };
  it.each<[string, string, object]>([
    ['$after', 'subscription { events { cursor } }', {}],
    ['$from', 'subscription ($after: String) { events(after: $after) { cursor } }', { from: 'BEGINNING' }],
    ['$where', 'subscription ($after: String) { events(after: $after) { cursor } }', { where }],
  ])(
    'as the document of follow, such as one without %s, is refused by name',
    async (name, document, options) => {
      // The gateway ignores a variable that the document does not use, so `follow` would wait, and miss events.
      const signal = AbortSignal.timeout(2_000);
      const followed = clientWith().follow({ document, onEvent: () => {}, signal, ...options });
      await expect(followed).rejects.toThrow(`The document must pass \`${name}\``);
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('as a number, %s is refused by name', async (rate) => {
    const entry = { metadata: { contractTerms: { royaltyRate: rate } } } as never;
    const { stored } = clientWith().issue([entry], { requestId: 'a' });
    await expect(stored).rejects.toThrow(new RegExp(`^royaltyRate is ${rate}`));
  });

  it('as retryForMs of one call is refused, instead of retrying for ever', async () => {
    const call = clientWith({ url: 'http://127.0.0.1:1' }).query(query, {}, { retryForMs: Number.NaN });
    await expect(call).rejects.toThrow(/^retryForMs must be /);
  });

  it('as `via` of an upload is refused by name', async () => {
    const options = { filename: 'a.png', category: 'ARTWORK', via: 'direct' as never } as const;
    await expect(clientWith().upload(new Blob([]), options)).rejects.toThrow(/^via must be /);
  });

  it('as the file of a page, such as its FileList, is refused by name', async () => {
    const page = createBrowserClient({ url: `${gateway.address}/graphql` });
    const uploaded = page.upload([new Blob([])] as never, { category: 'ARTWORK' });
    await expect(uploaded).rejects.toThrow(/^upload needs a File/);
  });
});

it('a start from NOW ends with the refusal of a caller who may not read the log', async () => {
  const following = clientWith({ token: undefined }).follow({ onEvent: () => {} });
  await expect(following).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

it('accepts a token that was copied together with the word Bearer', async () => {
  const client = clientWith({ token: `Bearer ${loneToken}` });
  expect((await client.query('{ viewer { issuer } }')).data).toMatchObject({ viewer: {} });
});

it('limits a time-out to the longest delay of a timer', async () => {
  for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31, 60_000.5]) {
    const { data } = await clientWith({ timeoutMs }).query(query);
    expect(data).toEqual({ __typename: 'Query' });
  }
});

it('names the setting for a WebSocket where there is no global one', async () => {
  const { WebSocket } = globalThis;
  try {
    Object.assign(globalThis, { WebSocket: undefined });
    const following = clientWith({ transport: 'websocket' }).follow({ from: 'BEGINNING', onEvent: () => {} });
    await expect(following).rejects.toThrow(/give `webSocketImpl`/);
  } finally {
    Object.assign(globalThis, { WebSocket });
  }
});
