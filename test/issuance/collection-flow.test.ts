import { randomBytes, randomUUID } from 'node:crypto';
import { control, query } from '@srr-gateway/sandbox/testing/control';
import { Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../_util/gateway.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { Recorded, RecordingProxy } from '../_util/recording-proxy.ts';

// Short, so that the gateway soon looks on chain for what no webhook reports.
const env = {
  ISSUE_TIMEOUT: '3',
  RECONCILE_AFTER: '2',
  // The mutation waits for at most 80 % of it, which here is no whole number of milliseconds.
  REQUEST_TIMEOUT: '60.001',
};

const fields = 'id requestId salt status outcomeSource error { code message upstreamMessage path } createdAt';

interface Creation {
  id: string;
  requestId: string;
  salt: string;
  status: string;
  outcomeSource: string | null;
  error: { code: string; message: string; upstreamMessage: string | null; path: string[] | null } | null;
}

interface Made {
  collection: (Creation & { address: string }) | null;
  userErrors: { code: string; message: string; path: string[] | null }[];
}

async function create(caller: GraphQLCaller, input: object = {}): Promise<Made> {
  const { createCollection } = await caller.data(
    `mutation ($input: CreateCollectionInput!) { createCollection(input: $input) {
      collection { ${fields} address } userErrors { code message path }
    } }`,
    { input: { name: 'Works', symbol: 'W', ...input } },
  );
  return createCollection;
}

/** Reads a creation by its requestId, without the address, which may not be known yet. */
async function creationOf(caller: GraphQLCaller, requestId: string): Promise<Creation> {
  const { collectionCreation } = await caller.data(
    `query ($requestId: String) { collectionCreation(requestId: $requestId) { ${fields} } }`,
    { requestId },
  );
  return collectionCreation;
}

const addressOf = async (caller: GraphQLCaller, requestId: string): Promise<string> =>
  (
    await caller.data('query ($r: String) { collectionCreation(requestId: $r) { address } }', {
      r: requestId,
    })
  ).collectionCreation.address;

async function settled(caller: GraphQLCaller, requestId: string, status: string): Promise<Creation> {
  const state = async () => (await creationOf(caller, requestId)).status;
  await expect.poll(state, { timeout: 40_000, interval: 100 }).toBe(status);
  return creationOf(caller, requestId);
}

/** The events about a collection in the order of the log. */
async function eventsOf(caller: GraphQLCaller, address: string): Promise<string[]> {
  const { events } = await caller.data(
    `{ events(first: 900, where: { types: [COLLECTION_CREATED, COLLECTION_FAILED] }) { edges { node { type source
      ... on CollectionCreated { made: address } ... on CollectionFailed { failed: address }
    } } } }`,
  );
  const nodes = events.edges.map(({ node }: { node: Record<string, string> }) => node);
  return nodes
    .filter(({ made, failed }: Record<string, string>) => (made ?? failed) === address)
    .map(({ type, source }: Record<string, string>) => `${type} ${source}`);
}

const freshSalt = () => `0x${randomBytes(32).toString('hex')}`;

describe('the creation of a collection', () => {
  let recorded: RecordedGateway;
  let gateway: TestGateway;
  let service: RecordingProxy;
  let caller: GraphQLCaller;

  beforeAll(async () => {
    recorded = await startRecordedGateway({ env, issuers: (known) => known.slice(0, 1) });
    ({ gateway, service } = recorded);
    ({ caller } = gateway);
  });
  afterEach(async () => {
    await recorded.reset();
    await control(gateway.sandbox.sandbox, 'settings', { webhooksPaused: false });
  });
  afterAll(() => recorded?.stop());

  const arm = (fault: object) => control(gateway.sandbox.sandbox, 'faults', fault);
  const posts = () => service.calls.filter(({ call }) => call === 'collection');

  /** The second issuer, which is not configured: the gateway knows it only by its headers. */
  function passthrough(): GraphQLCaller {
    const [, { address, apiKey } = { address: '', apiKey: '' }] = gateway.info.issuers;
    return new GraphQLCaller(gateway.app.url, { 'commerce-api-key': apiKey, 'issuer-address': address });
  }

  async function onChain(salt: string): Promise<{ id: string; ownerAddress: string }[]> {
    const { data } = await query(
      gateway.info,
      'query ($salt: Bytes) { collections(where: { salt: $salt }) { id ownerAddress } }',
      { salt },
    );
    return data.collections;
  }

  async function deliver(type: string, entry: object): Promise<void> {
    const response = await fetch(`${gateway.app.url}/webhooks/commerce`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': gateway.issuer.webhookKeys[0] as string,
      },
      body: JSON.stringify({ type, version: 1, data: [entry] }),
    });
    expect(response.status).toBe(200);
  }

  /** Passes a recorded request on to the service, and returns its answer. */
  async function reallyPost({ headers, body }: Recorded): Promise<{ result: Record<string, string> }> {
    const answer = await fetch(`${service.target}/port/api/v1/commerce/collection`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'commerce-api-key': headers['commerce-api-key'] as string,
        'issuer-address': headers['issuer-address'] as string,
      },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { result: Record<string, string> };
  }

  it('can be queried by id, requestId and as a node, and is reported once', async () => {
    const requestId = randomUUID();
    const { collection, userErrors } = await create(caller, { requestId });
    expect(userErrors).toEqual([]);
    expect(collection).toMatchObject({ requestId, status: 'WAITING_FOR_MINING', error: null });
    const { id, salt, address } = collection as { id: string; salt: string; address: string };
    const done = await settled(caller, requestId, 'ISSUED');
    expect(done).toMatchObject({ id, salt, outcomeSource: 'WEBHOOK', error: null });
    const again = await caller.data(
      `query ($id: ID!) { collectionCreation(id: $id) { address requestId }
        node(id: $id) { ... on CollectionCreation { address requestId collection { symbol } } } }`,
      { id },
    );
    expect(again.collectionCreation).toEqual({ address, requestId });
    expect(again.node).toMatchObject({ address, requestId });
    expect(await eventsOf(caller, address)).toEqual(['COLLECTION_CREATED WEBHOOK']);
    // Other issuers and anonymous callers do not find it.
    expect(await creationOf(passthrough(), requestId)).toBeNull();
    const { node } = await gateway.anonymous
      .ask('query ($id: ID!) { node(id: $id) { id } }', { id })
      .then(({ data }) => data);
    expect(node).toBeNull();
  });

  it('happens once for each requestId, even with concurrent calls', async () => {
    const input = { requestId: randomUUID(), salt: freshSalt() };
    const all = await Promise.all([1, 2, 3].map(() => create(caller, input)));
    expect(all.map(({ userErrors }) => userErrors)).toEqual([[], [], []]);
    expect(new Set(all.map(({ collection }) => collection?.id)).size).toBe(1);
    await settled(caller, input.requestId, 'ISSUED');
    const later = await create(caller, input);
    expect(later.collection).toMatchObject({ id: all[0]?.collection?.id, status: 'ISSUED' });
    expect(posts()).toHaveLength(1);
    const other = await create(caller, { ...input, symbol: 'X' });
    expect(other).toMatchObject({
      collection: null,
      userErrors: [{ code: 'IDEMPOTENCY_CONFLICT', path: ['input', 'requestId'] }],
    });
    // Without a requestId a call is recognized by its salt. Another requestId may not use the same salt.
    const bySalt = await create(caller, { salt: input.salt.toUpperCase().replace('0X', '0x') });
    expect(bySalt.collection?.id).toBe(later.collection?.id);
    expect(await create(caller, { requestId: randomUUID(), salt: input.salt })).toMatchObject({
      userErrors: [{ code: 'IDEMPOTENCY_CONFLICT', path: ['input', 'salt'] }],
    });
    expect(posts()).toHaveLength(1);
  });

  it.each([
    ['cut before processing', { effect: 'drop', when: 'before' }],
    ['cut after processing', { effect: 'drop', when: 'after' }],
    ['502 before processing', { effect: '502', when: 'before' }],
    ['502 after processing', { effect: '502', when: 'after' }],
    ['lost twice', { effect: 'drop', when: 'after', times: 2 }],
    ['after the time-out', { effect: 'late', when: 'after', delayMs: 6_000 }],
  ])('whose answer is lost (%s) names its requestId, and is issued and reported once', async (_, fault) => {
    await arm({ kind: 'response', route: 'collection', ...fault });
    // A delivery would settle the creation before the gateway looks for the lost answer.
    await control(gateway.sandbox.sandbox, 'settings', { webhooksPaused: true });
    const requestId = randomUUID();
    const { collection, userErrors } = await create(caller, { requestId });
    expect(collection).toBeNull();
    const { salt } = await creationOf(caller, requestId);
    expect(userErrors).toEqual([
      {
        code: expect.stringMatching(/^UPSTREAM_(TIMEOUT|UNAVAILABLE)$/),
        path: null,
        message: expect.stringContaining(`collectionCreation(requestId: "${requestId}")`),
      },
    ]);
    expect(userErrors[0]?.message).toContain(salt);
    await settled(caller, requestId, 'ISSUED');
    await recorded.reset();
    await control(gateway.sandbox.sandbox, 'settings', { webhooksPaused: false });
    const address = await addressOf(caller, requestId);
    const addressesOnChain = async () => (await onChain(salt)).map(({ id }) => id);
    await expect.poll(addressesOnChain).toEqual([address.toLowerCase()]);
    // The retry with the same salt fails on chain. Its delivery comes before the next collection is issued.
    const { createCollection: next } = await caller.data(
      'mutation { createCollection(input: { name: "Next", symbol: "N" }) { collection { requestId } } }',
    );
    await settled(caller, next.collection.requestId, 'ISSUED');
    expect(await eventsOf(caller, address)).toHaveLength(1);
    expect((await creationOf(caller, requestId)).status).toBe('ISSUED');
  });

  it('has every field but its address while the answer is lost, and says when to retry', async () => {
    service.answerInstead = ({ call }) => (call === 'collection' ? { status: 503, text: 'away' } : undefined);
    const requestId = randomUUID();
    expect((await create(caller, { requestId })).collection).toBeNull();
    expect(await creationOf(caller, requestId)).toMatchObject({ status: 'PENDING', error: null });
    const { errors } = await caller.ask(
      'query ($r: String) { collectionCreation(requestId: $r) { address } }',
      { r: requestId },
    );
    expect(errors).toMatchObject([
      {
        path: ['collectionCreation', 'address'],
        extensions: { code: 'UPSTREAM_UNAVAILABLE' },
        message: expect.stringMatching(/again in \d+ seconds/),
      },
    ]);
    service.answerInstead = undefined;
    await settled(caller, requestId, 'ISSUED');
  });

  it('does not fail by a refusal that its own success has caused', async () => {
    let address = '';
    service.answerInstead = async (recorded) => {
      if (recorded.call !== 'collection') return undefined;
      if (posts().length > 1)
        return { status: 400, text: JSON.stringify({ statusCode: 400, message: 'salt was used' }) };
      address = (await reallyPost(recorded)).result.collectionAddress as string;
      return { status: 502, text: 'Bad Gateway' };
    };
    await arm({ kind: 'webhook', effect: 'drop', type: 'collection_created' });
    const requestId = randomUUID();
    expect((await create(caller, { requestId })).collection).toBeNull();
    const done = await settled(caller, requestId, 'ISSUED');
    expect(done).toMatchObject({ outcomeSource: 'SUBGRAPH', error: null });
    expect(await addressOf(caller, requestId)).toBe(address);
    expect(await eventsOf(caller, address)).toEqual(['COLLECTION_CREATED SUBGRAPH']);
  });

  it.each([400, 500])(
    'fails when every retry is refused with %i and the subgraph does not have the collection',
    async (status) => {
      service.answerInstead = ({ call }) => {
        if (call !== 'collection') return undefined;
        const message = status === 500 ? 'SERVICE_ERROR: cannot be done' : 'cannot be done';
        if (posts().length === 1 && status === 400) return { status: 502, text: 'Bad Gateway' };
        return { status, text: JSON.stringify({ statusCode: status, message }) };
      };
      const requestId = randomUUID();
      expect((await create(caller, { requestId })).userErrors).toMatchObject([
        { code: 'UPSTREAM_UNAVAILABLE' },
      ]);
      const done = await settled(caller, requestId, 'FAILED');
      expect(done).toMatchObject({
        outcomeSource: 'RESPONSE',
        error: { upstreamMessage: expect.stringContaining('cannot be done') },
      });
      expect(posts().length).toBeGreaterThan(1);
    },
  );

  it('fails at once with the message of a refusal, and frees its salt', async () => {
    service.answerInstead = ({ call }) =>
      call === 'collection'
        ? { status: 400, text: JSON.stringify({ statusCode: 400, message: 'payload.name is too long' }) }
        : undefined;
    const input = { requestId: randomUUID(), salt: freshSalt() };
    const refused = await create(caller, input);
    expect(refused).toMatchObject({
      collection: null,
      userErrors: [{ code: 'INVALID_INPUT', path: ['input', 'name'] }],
    });
    expect(await create(caller, input)).toEqual(refused);
    expect(await creationOf(caller, input.requestId)).toMatchObject({
      status: 'FAILED',
      outcomeSource: 'RESPONSE',
      error: { upstreamMessage: 'payload.name is too long' },
    });
    expect(posts()).toHaveLength(1);
    service.answerInstead = undefined;
    const again = await create(caller, { ...input, requestId: randomUUID() });
    expect(again.userErrors).toEqual([]);
    await settled(caller, again.collection?.requestId ?? '', 'ISSUED');
  });

  it('whose webhook is lost is found in the subgraph, and reported to subscribers', async () => {
    await arm({ kind: 'webhook', effect: 'drop', type: 'collection_created' });
    const leave = new AbortController();
    const received: string[] = [];
    const listening = (async () => {
      for await (const answer of caller.subscribe(
        'subscription { miningOutcomes { __typename ... on CollectionCreated { address source collection { symbol } } } }',
        {},
        leave.signal,
      ))
        received.push(JSON.stringify(answer));
    })().catch(() => {});
    // The subscription gets only later outcomes. The first collection gives it the time to start.
    const { collection: first } = await create(caller, {});
    const { collection } = await create(caller, { requestId: randomUUID(), symbol: 'LOST' });
    const address = collection?.address as string;
    await settled(caller, collection?.requestId as string, 'ISSUED');
    await settled(caller, first?.requestId as string, 'ISSUED');
    const sources = [
      await eventsOf(caller, address),
      await eventsOf(caller, first?.address as string),
    ].flat();
    expect(sources.toSorted()).toEqual(['COLLECTION_CREATED SUBGRAPH', 'COLLECTION_CREATED WEBHOOK']);
    await expect.poll(() => received.filter((one) => one.includes(address)).length).toBe(1);
    leave.abort();
    await listening;
  });

  it('takes its address from a delivery that comes before the answer', async () => {
    const requestId = randomUUID();
    service.afterAnswer = async ({ call }) => {
      if (call === 'collection') await settled(caller, requestId, 'ISSUED');
    };
    const { collection, userErrors } = await create(caller, { requestId });
    expect(userErrors).toEqual([]);
    expect(collection).toMatchObject({ status: 'ISSUED', outcomeSource: 'WEBHOOK' });
    expect(await eventsOf(caller, collection?.address as string)).toEqual(['COLLECTION_CREATED WEBHOOK']);
  });

  it('is settled by the answer if an earlier delivery named only the address', async () => {
    await control(gateway.sandbox.sandbox, 'settings', { webhooksPaused: true });
    const requestId = randomUUID();
    service.afterAnswer = async ({ call, answer }) => {
      if (call !== 'collection') return;
      const { collectionAddress } = JSON.parse(answer?.text ?? '').result;
      await deliver('collection_created', { contractAddress: undefined, collectionAddress });
    };
    const { collection } = await create(caller, { requestId });
    expect(collection).toMatchObject({ status: 'ISSUED', outcomeSource: 'WEBHOOK' });
    expect(await eventsOf(caller, collection?.address as string)).toEqual(['COLLECTION_CREATED WEBHOOK']);
  });

  it('that the answer calls failed has an error, and is issued once the chain has it', async () => {
    await control(gateway.sandbox.sandbox, 'settings', { webhooksPaused: true });
    const started = Promise.withResolvers<void>();
    service.answerInstead = async (recorded) => {
      if (recorded.call !== 'collection') return undefined;
      const { name, symbol, salt } = recorded.body.payload;
      // The address follows from the salt, and the transaction is sent a moment later.
      const first = await reallyPost({ ...recorded, body: { payload: { name, symbol, salt } } });
      started.resolve();
      return { status: 201, text: JSON.stringify({ result: { ...first.result, status: 'failed' } }) };
    };
    const requestId = randomUUID();
    const { collection, userErrors } = await create(caller, { requestId });
    expect(userErrors).toEqual([]);
    expect(collection).toMatchObject({
      error: { code: 'MINING_FAILED', message: expect.stringMatching(/again/) },
    });
    await settled(caller, requestId, 'ISSUED');
    expect(await creationOf(caller, requestId)).toMatchObject({ outcomeSource: 'SUBGRAPH', error: null });
    const address = collection?.address as string;
    expect(await eventsOf(caller, address)).toEqual([
      'COLLECTION_FAILED RESPONSE',
      'COLLECTION_CREATED SUBGRAPH',
    ]);
    // A later delivery adds no event, and a failure does not undo the creation.
    await control(gateway.sandbox.sandbox, 'settings', { webhooksPaused: false });
    await deliver('collection_create_failed', { collectionAddress: address, message: 'late' });
    await deliver('collection_created', { collectionAddress: address });
    expect(await creationOf(caller, requestId)).toMatchObject({ status: 'ISSUED' });
    expect(await eventsOf(caller, address)).toHaveLength(2);
  });

  it('fails when a delivery says so, and is issued when a later one reports its success', async () => {
    const requestId = randomUUID();
    service.answerInstead = async ({ call, body }) =>
      call === 'collection'
        ? {
            status: 201,
            text: JSON.stringify({
              result: {
                ...body.payload,
                collectionAddress: `0x${body.payload.salt.slice(-40)}`,
                status: 'waiting_for_mining',
              },
            }),
          }
        : undefined;
    const { collection } = await create(caller, { requestId });
    const { address, salt } = collection as { address: string; salt: string };
    await deliver('collection_create_failed', { salt, message: 'nonce out of sync' });
    expect(await creationOf(caller, requestId)).toMatchObject({
      status: 'FAILED',
      outcomeSource: 'WEBHOOK',
      error: { code: 'MINING_FAILED', upstreamMessage: 'nonce out of sync' },
    });
    await deliver('collection_created', {
      collection: { contractAddress: address, salt },
      collectionAddress: address,
    });
    expect(await creationOf(caller, requestId)).toMatchObject({ status: 'ISSUED', error: null });
    expect(await eventsOf(caller, address)).toEqual([
      'COLLECTION_FAILED WEBHOOK',
      'COLLECTION_CREATED WEBHOOK',
    ]);
  });

  it.each([
    ['the request had reached the service', true],
    ['the request had not reached the service', false],
  ])('whose replica died while sending the request is continued by another when %s', async (_, reached) => {
    service.answerInstead = ({ call }) => (call === 'collection' ? { status: 429, text: '' } : undefined);
    const requestId = randomUUID();
    await create(caller, { requestId });
    const { salt } = await creationOf(caller, requestId);
    const headers = {
      'commerce-api-key': gateway.issuer.apiKey as string,
      'issuer-address': gateway.issuer.address,
    };
    const body = { payload: { name: 'Works', symbol: 'W', salt } };
    if (reached) await reallyPost({ call: 'collection', headers, body });
    // The row as a replica leaves it that is killed between marking the request and storing the answer.
    const db = new Kysely<never>({ dialect: gateway.database.dialect });
    await sql`update gateway.collection_creation set sent = 1, unanswered_at = clock_timestamp(),
      first_sent_at = clock_timestamp(), last_sent_at = clock_timestamp(), next_at = clock_timestamp(),
      lease_owner = 'dead', lease_until = clock_timestamp() + interval '2 seconds'
      where request_id = ${requestId}`.execute(db);
    service.answerInstead = undefined;
    await settled(caller, requestId, 'ISSUED');
    await expect.poll(async () => (await onChain(salt)).length).toBe(1);
    const address = await addressOf(caller, requestId);
    await expect.poll(() => eventsOf(caller, address)).toHaveLength(1);
  });

  it('of an issuer without deliveries gets its outcome from the subgraph', async () => {
    const caller = passthrough();
    const { collection, userErrors } = await create(caller, {});
    expect(userErrors).toEqual([]);
    const done = await settled(caller, collection?.requestId as string, 'ISSUED');
    expect(done.outcomeSource).toBe('SUBGRAPH');
    expect(await eventsOf(caller, collection?.address as string)).toEqual(['COLLECTION_CREATED SUBGRAPH']);
  });

  it.each([
    [{ name: ' ' }, ['input', 'name']],
    [{ symbol: 'a\u0000b' }, ['input', 'symbol']],
    [{ salt: '0x12' }, ['input', 'salt']],
    [{ requestId: ' ' }, ['input', 'requestId']],
    [{ requestId: 'x'.repeat(256) }, ['input', 'requestId']],
  ])('is refused with the path of the invalid field: %j', async (input, path) => {
    const { collection, userErrors } = await create(caller, input);
    expect(collection).toBeNull();
    expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path }]);
    expect(posts()).toEqual([]);
  });
});

describe('a collection that is created while the service is down', () => {
  it('is created by whichever replica runs when the service is back', async () => {
    const recorded = await startRecordedGateway({ env });
    const { gateway, service } = recorded;
    try {
      service.answerInstead = ({ call }) => (call === 'collection' ? { status: 429, text: '' } : undefined);
      const requestId = randomUUID();
      const { collection, userErrors } = await create(gateway.caller, { requestId });
      expect(collection).toBeNull();
      expect(userErrors).toMatchObject([
        { message: expect.stringMatching(/^The service has not taken the request yet/) },
      ]);
      await gateway.app.stop();
      service.answerInstead = undefined;
      const other = await gateway.replica();
      const done = await settled(other, requestId, 'ISSUED');
      expect(await create(other, { requestId })).toMatchObject({ collection: { id: done.id } });
    } finally {
      await recorded.stop();
    }
  });
});
