import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GraphQLCaller } from '../_util/graphql-caller.ts';
import { finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { type OtherGateway, otherEntry, startOtherGateway } from '../_util/other-gateway.ts';
import { serviceFaults } from '../_util/other-service.ts';

let gateway: OtherGateway;
beforeAll(async () => {
  gateway = await startOtherGateway({ env: { FAILURE_WATCH: '60' } });
});
afterEach(async () => {
  gateway?.service.plain();
  await gateway?.service.quiet();
});
afterAll(() => gateway?.stop());

const pollOptions = { timeout: 30_000, interval: 100 };

/** Issues one record over a new picture. */
async function issueOne(caller = gateway.caller, metadata: object = {}) {
  const externalId = randomUUID();
  const picture = await gateway.picture(caller);
  const entry = otherEntry(gateway.service, externalId, picture, { metadata });
  return { externalId, id: await issue(caller, { entries: [entry] }) };
}

/** The events of a record's outcome, in the order of the log. */
async function eventsOf(externalId: string, caller = gateway.caller) {
  const { events } = await caller.data(
    `query ($where: EventFilter) { events(first: 50, where: $where) { edges { node {
      type source
      ... on SRRIssued { srr { tokenId indexing } entry { externalId status } }
      ... on SRRFailed { error { code upstreamMessage } entry { externalId status } }
    } } } }`,
    { where: { externalIds: [externalId], types: ['SRR_ISSUED', 'SRR_FAILED', 'UNRECOGNIZED'] } },
  );
  return events.edges.map(({ node }: { node: Record<string, unknown> }) => node);
}

const kindsOf = async (externalId: string, caller?: GraphQLCaller) =>
  (await eventsOf(externalId, caller)).map(
    ({ type, source }: Record<string, unknown>) => `${type} ${source}`,
  );

const statusOf = async (id: string, caller = gateway.caller) =>
  (await outcomeOf(caller, id)).entries[0]?.status;

describe('an outcome without a delivery', () => {
  it('is one event in the log, with the subgraph as its source', async () => {
    const { service, caller } = gateway;
    service.variants.deliveries.way = 'LOSE';
    const { externalId, id } = await issueOne();
    expect(await finalOutcome(caller, id)).toMatchObject({
      status: 'COMPLETED',
      entries: [{ status: 'ISSUED', outcomeSource: 'SUBGRAPH' }],
    });
    expect(await eventsOf(externalId)).toEqual([
      {
        type: 'SRR_ISSUED',
        source: 'SUBGRAPH',
        srr: { tokenId: expect.stringMatching(/^\d+$/), indexing: 'INDEXED' },
        entry: { externalId, status: 'ISSUED' },
      },
    ]);
  });

  it('reaches a live subscription of an issuer that passes its key through and has no webhook', async () => {
    const { service, passthrough } = gateway;
    const received: string[] = [];
    const leave = new AbortController();
    const listening = listen(passthrough, received, leave.signal);
    const { externalId, id } = await issueOne(passthrough);
    await finalOutcome(passthrough, id);
    await expect.poll(() => received, pollOptions).toContain(externalId);
    leave.abort();
    await listening;
    expect(await kindsOf(externalId, passthrough)).toEqual(['SRR_ISSUED SUBGRAPH']);
    expect(service.chain.mintsOf(externalId)).toBe(1);
  });

  it('is not a second event when a delivery comes later, which only the history mentions', async () => {
    const { service, caller } = gateway;
    service.variants.deliveries.way = 'LOSE';
    const { externalId, id } = await issueOne();
    await finalOutcome(caller, id);
    service.variants.deliveries.way = 'SEND';
    service.enqueueDelivery('issued', externalId);
    await expect
      .poll(async () => (await outcomeOf(caller, id)).history.map(({ reason }) => reason), pollOptions)
      .toContain(`a delivery reports again that "${externalId}" was issued`);
    expect(await kindsOf(externalId)).toEqual(['SRR_ISSUED SUBGRAPH']);
  });

  it('is searched for in time although deliveries for other entries keep coming', async () => {
    const { service, caller } = gateway;
    service.variants.deliveries.way = 'LOSE';
    const picture = await gateway.picture(caller);
    const ids = Array.from({ length: 30 }, () => randomUUID());
    const entries = ids.map((externalId) => otherEntry(service, externalId, picture));
    const id = await issue(caller, { entries });
    await expect
      .poll(async () => (await outcomeOf(caller, id)).status, pollOptions)
      .toBe('WAITING_FOR_MINING');
    service.variants.deliveries.way = 'SEND';
    // Two deliveries are less than RECONCILE_AFTER (one second) apart, the first and the last are more.
    const lost = ids[0] as string;
    const delivered: string[] = [];
    for (const neighbour of ids.slice(1)) {
      if ((await kindsOf(lost)).length > 0) break;
      service.enqueueDelivery('issued', neighbour);
      delivered.push(neighbour);
      await expect.poll(() => kindsOf(neighbour), { ...pollOptions, interval: 50 }).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(delivered.length).toBeLessThan(ids.length - 1);
    expect(await kindsOf(lost)).toEqual(['SRR_ISSUED SUBGRAPH']);
  });

  it('is a failure event with the service’s message for each record of a refused request', async () => {
    const { service, caller } = gateway;
    service.variants.quota = 0;
    const { externalId, id } = await issueOne();
    expect((await finalOutcome(caller, id)).status).toBe('REJECTED');
    expect(await eventsOf(externalId)).toEqual([
      {
        type: 'SRR_FAILED',
        source: 'RESPONSE',
        error: { code: 'SRR_NOT_CREATED', upstreamMessage: expect.stringContaining('Quota limit exceeded!') },
        entry: { externalId, status: 'FAILED' },
      },
    ]);
  });
});

describe('proof on chain overrides a failure', () => {
  it('that is reported while the outcome is unknown and the repeated request is accepted', async () => {
    const { service, caller } = gateway;
    service.variants.next.srrs = [serviceFaults.lost('BEFORE'), serviceFaults.lost('BEFORE')];
    service.variants.deliveries.way = 'LOSE';
    const { externalId, id } = await issueOne();
    await expect
      .poll(async () => (await outcomeOf(caller, id)).history.map(({ status }) => status), pollOptions)
      .toContain('OUTCOME_UNKNOWN');
    service.variants.deliveries.way = 'SEND';
    service.enqueueDelivery('failed', externalId, 'the request was lost');
    service.variants.deliveries.way = 'LOSE';
    const { status, entries } = await finalOutcome(caller, id);
    expect([status, entries[0]?.status]).toEqual(['COMPLETED', 'ISSUED']);
    expect(await kindsOf(externalId)).toEqual(['SRR_ISSUED SUBGRAPH']);
    expect(service.chain.mintsOf(externalId)).toBe(1);
  });

  it('that was reported for a record that is minted later without a delivery', async () => {
    const { service, caller } = gateway;
    service.variants.mining.default = 'FAIL';
    const { externalId, id } = await issueOne();
    await finalOutcome(caller, id);
    expect(await statusOf(id)).toBe('FAILED');
    service.plain();
    service.variants.deliveries.way = 'LOSE';
    service.chain.mint(externalId);
    await expect.poll(() => statusOf(id), pollOptions).toBe('ISSUED');
    expect(await kindsOf(externalId)).toEqual(['SRR_FAILED WEBHOOK', 'SRR_ISSUED SUBGRAPH']);
    expect((await outcomeOf(caller, id)).entries[0]).toMatchObject({
      error: null,
      outcomeSource: 'SUBGRAPH',
    });
  });

  it.each([
    ['SERVICE_ERROR', serviceFaults.serviceError('the collection is locked', 'AFTER')],
    ['UNKNOWN_ERROR', serviceFaults.unknownError('of no matter', 'AFTER')],
    ['502', serviceFaults.badGateway('AFTER')],
  ])('that the first answer reports without proof: %s after the request was processed', async (_, fault) => {
    const { service, caller } = gateway;
    service.variants.next.srrs = [fault];
    const { externalId, id } = await issueOne();
    const { status, entries, history } = await finalOutcome(caller, id);
    expect([status, entries[0]?.status]).toEqual(['COMPLETED', 'ISSUED']);
    expect(history.map((line) => line.status)).toContain('OUTCOME_UNKNOWN');
    expect(service.chain.mintsOf(externalId)).toBe(1);
    expect((await kindsOf(externalId)).map((kind: string) => kind.split(' ')[0])).toEqual(['SRR_ISSUED']);
  });

  it('and without such proof, a service that keeps answering 500 ends the issuance as REJECTED', async () => {
    const { service, caller } = gateway;
    service.variants.always.srrs = serviceFaults.serviceError('the collection is not yours');
    const { externalId, id } = await issueOne();
    const { status, error, entries } = await finalOutcome(caller, id);
    expect([status, error?.code, entries[0]?.status]).toEqual(['REJECTED', 'SERVICE_ERROR', 'FAILED']);
    expect(await kindsOf(externalId)).toEqual(['SRR_FAILED RESPONSE']);
  });

  it('of an issuance that was rejected although the service had processed its request', async () => {
    const { service, caller } = gateway;
    service.variants.mining.default = 'HELD';
    service.variants.deliveries.way = 'LOSE';
    service.variants.next.srrs = [serviceFaults.serviceError('a step behind failed', 'AFTER')];
    service.variants.always.srrs = serviceFaults.serviceError('a step behind failed');
    const { externalId, id } = await issueOne();
    expect((await finalOutcome(caller, id)).status).toBe('REJECTED');
    service.chain.mint(externalId);
    await expect.poll(async () => (await outcomeOf(caller, id)).status, pollOptions).toBe('COMPLETED');
    expect(await statusOf(id)).toBe('ISSUED');
    expect(await kindsOf(externalId)).toEqual(['SRR_FAILED RESPONSE', 'SRR_ISSUED SUBGRAPH']);
  });
});

describe('a delivery', () => {
  it('that contradicts itself is UNRECOGNIZED, and the outcome comes from the subgraph', async () => {
    const { service, caller } = gateway;
    Object.assign(service.variants.deliveries, { failedAs: 'STATUS', tells: 'FAILURE_FIRST' });
    service.variants.deliveries.way = 'HOLD';
    const { externalId, id } = await issueOne();
    const { attempts } = await service.deliveries.send(gateway.issuer.address, {
      type: 'issue_complete',
      data: [{ externalId, status: 'failed' }],
    });
    expect(attempts.map(({ status }) => status)).toEqual([200]);
    await finalOutcome(caller, id);
    expect(await kindsOf(externalId)).toEqual(['UNRECOGNIZED WEBHOOK', 'SRR_ISSUED SUBGRAPH']);
  });

  it('of a failure stays with its own entry after the same metadata is issued again', async () => {
    const { service, caller } = gateway;
    service.variants.mining.default = 'FAIL';
    const same = { name: `twice ${randomUUID()}`, title: { en: 'twice' } };
    const picture = await gateway.picture();
    const ask = (externalId: string) =>
      issue(caller, { entries: [otherEntry(service, externalId, picture, { metadata: same })] });
    const [first, second] = [randomUUID(), randomUUID()];
    await finalOutcome(caller, await ask(first));
    service.plain();
    await finalOutcome(caller, await ask(second));
    const [failed] = await eventsOf(first);
    expect(failed).toMatchObject({ type: 'SRR_FAILED', entry: { externalId: first, status: 'FAILED' } });
    const [issued] = await eventsOf(second);
    expect(issued).toMatchObject({ type: 'SRR_ISSUED', entry: { externalId: second, status: 'ISSUED' } });
    expect(await kindsOf(first)).toEqual(['SRR_FAILED WEBHOOK']);
  });
});

it('the history gives the reason of an unknown outcome: the service’s message, or the lost answer', async () => {
  const { service, caller } = gateway;
  const reasons = async (fault: (typeof service.variants.always)['srrs']) => {
    service.variants.next.srrs = fault ? [fault, fault] : [];
    const { id } = await issueOne();
    return (await finalOutcome(caller, id)).history.map(({ reason }) => reason);
  };
  const text = 'SERVICE_ERROR: the collection is locked';
  expect(await reasons(serviceFaults.serviceError('the collection is locked'))).toEqual(
    expect.arrayContaining([
      `the service may have processed the request: ${text}`,
      `the service may have processed the repeated request of batch 0 (SERVICE_ERROR): ${text}`,
    ]),
  );
  expect(await reasons(serviceFaults.lost('BEFORE'))).toContainEqual(
    expect.stringMatching(/^the answer is lost, so the gateway finds out what became of the request: /),
  );
});

it('an entry does not get the outcome of another program’s record with the same content', async () => {
  const { service, caller, issuer } = gateway;
  const { id: like } = await issueOne();
  await finalOutcome(caller, like);
  const sent = service.requests('srrs').at(-1)?.body as { payload: { metadata: object }[] };
  const [their, own] = [randomUUID(), randomUUID()];
  const metadata = { ...sent.payload[0]?.metadata, name: `Issued by another program ${their}` };
  const theirs = { ...sent.payload[0], externalId: their, metadata };
  const { status } = await fetch(`${service.commerceUrl}/port/api/v1/commerce/srrs`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'commerce-api-key': issuer.apiKey,
      'issuer-address': issuer.address,
    },
    body: JSON.stringify({ payload: [theirs] }),
  });
  expect(status).toBe(201);
  await expect.poll(() => kindsOf(their), pollOptions).toEqual(['SRR_ISSUED WEBHOOK']);
  service.variants.next.srrs = [serviceFaults.lost('BEFORE')];
  const { metadata: _, ...entry } = otherEntry(service, own, {});
  const id = await issue(caller, { entries: [{ ...entry, metadataJson: metadata }] });
  const { status: end, error } = await finalOutcome(caller, id);
  expect([end, error?.code]).toEqual(['REJECTED', 'DUPLICATE_METADATA']);
  expect(await kindsOf(own)).toEqual(['SRR_FAILED RESPONSE']);
});

it('an entry does not get a token id from a delivery that contradicts the answer to its request', async () => {
  const { service, caller, issuer } = gateway;
  service.variants.mining.default = 'HELD';
  service.variants.deliveries.way = 'LOSE';
  const { externalId, id } = await issueOne();
  await expect.poll(() => statusOf(id), pollOptions).toBe('WAITING_FOR_MINING');
  const { url, key } = issuer.webhook as { url: string; key: string };
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ type: 'issue_complete', data: [{ srrId: 4711, externalId }] }),
  });
  expect(status).toBe(200);
  service.plain();
  service.variants.deliveries.way = 'LOSE';
  service.chain.mint(externalId);
  const { entries } = await finalOutcome(caller, id);
  expect(entries[0]).toMatchObject({ status: 'ISSUED', outcomeSource: 'SUBGRAPH' });
  expect(entries[0]?.srr?.tokenId).not.toBe('4711');
  expect(await kindsOf(externalId)).toEqual(['UNRECOGNIZED WEBHOOK', 'SRR_ISSUED SUBGRAPH']);
});

it('the error of a refused repetition says that the lost request may have been accepted and not yet mined', async () => {
  const { service, caller } = gateway;
  service.variants.mining.default = 'FAIL';
  service.variants.deliveries.way = 'LOSE';
  service.variants.next.srrs = [serviceFaults.lost('AFTER')];
  service.variants.always.srrs = serviceFaults.refused(400, {
    results: [{ status: 'failed', externalId: 'perhaps-own', message: 'DUPLICATE_METADATA' }],
  });
  const entries = [otherEntry(service, 'perhaps-own', await gateway.picture(caller))];
  const { status, error, history } = await finalOutcome(caller, await issue(caller, { entries }));
  expect([status, error?.code]).toEqual(['REJECTED', 'DUPLICATE_METADATA']);
  expect(error?.message).toMatch(/It may be this entry itself: .* not on chain\. Ask /);
  expect(history.map(({ reason }) => reason)).toContain(
    'the service refused the repeated request, and the subgraph shows none of its records',
  );
});

it('failures of records and collections say that the service may retry, in queries and in events', async () => {
  const { service, caller } = gateway;
  service.variants.mining.default = 'FAIL';
  const { externalId, id } = await issueOne();
  const { entries } = await finalOutcome(caller, id);
  const requestId = randomUUID();
  const creation = async () =>
    (await caller.data(`{ collectionCreation(requestId: "${requestId}") { error { message } } }`))
      .collectionCreation;
  await caller.data(
    `mutation { createCollection(input: { requestId: "${requestId}", name: "Fails", symbol: "F" }) { userErrors { code } } }`,
  );
  await expect.poll(async () => (await creation())?.error, pollOptions).toBeTruthy();
  const { events } = await caller.data(
    `query ($where: EventFilter) { events(first: 900, where: $where) { edges { node {
      ... on SRRFailed { externalId error { message } } ... on CollectionFailed { collection: error { message } }
    } } } }`,
    { where: { types: ['SRR_FAILED', 'COLLECTION_FAILED'] } },
  );
  const failures = events.edges.map(({ node }: { node: Record<string, unknown> }) => node);
  const wait = { message: expect.stringMatching(/The service retries by itself .* Otherwise /) };
  expect(entries[0]?.error).toMatchObject(wait);
  expect((await creation()).error).toEqual(wait);
  expect(failures).toContainEqual({ externalId, error: wait });
  expect(failures).toContainEqual({ collection: wait });
});

it('the count of accepted records never decreases, also when a record fails', async () => {
  const { service, caller } = gateway;
  const externalIds = Array.from({ length: 5 }, () => randomUUID());
  const picture = await gateway.picture();
  service.variants.mining.of = { [externalIds[2] as string]: 'FAIL' };
  const id = await issue(caller, {
    entries: externalIds.map((externalId) => otherEntry(service, externalId, picture)),
  });
  const seen: number[] = [];
  const look = async () => {
    const { issuance } = await caller.data(
      'query ($id: ID!) { issuance(id: $id) { status progress { accepted issued failed } } }',
      { id },
    );
    seen.push(issuance.progress.accepted);
    return issuance;
  };
  await expect.poll(async () => (await look()).status, { timeout: 30_000, interval: 20 }).toBe('COMPLETED');
  expect((await look()).progress).toEqual({ accepted: 5, issued: 4, failed: 1 });
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});

/** Subscribes to outcomes, and collects the externalIds of issued records. */
async function listen(caller: GraphQLCaller, received: string[], signal: AbortSignal): Promise<void> {
  const query = 'subscription { miningOutcomes { ... on SRRIssued { externalId } } }';
  try {
    for await (const { data } of caller.subscribe(query, {}, signal))
      received.push(data.miningOutcomes.externalId);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
