import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { capturedLog } from '../_util/captured-log.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { gatewayProcess } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { closedPort, serve } from '../_util/http-server.ts';
import { finalOutcome, issue } from '../_util/issuances.ts';
import { startLoneGateway } from '../_util/lone-gateway.ts';
import { type ReceivedSpan, startTraceCollector, type TraceCollector } from '../_util/trace-collector.ts';

let collector: TraceCollector;
let gateway: TestGateway;
/** The UUID of a completed issuance, as in the log and the store. */
let issued: string;
beforeAll(async () => {
  collector = await startTraceCollector();
  gateway = await startTestGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
      OTEL_SERVICE_NAME: 'gateway-under-test',
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await collector?.stop();
});

/** The spans of a trace, once `enough` of them have arrived. */
async function trace(id: string, enough: (spans: ReceivedSpan[]) => boolean): Promise<ReceivedSpan[]> {
  const spans = () => collector.spans.filter(({ traceId }) => traceId === id);
  await expect.poll(() => enough(spans()), { timeout: 15_000 }).toBe(true);
  return spans();
}

const named = (spans: ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);
const has = (name: string) => (spans: ReceivedSpan[]) => named(spans, name).length > 0;

function ask(
  query: string,
  headers: Record<string, string> = {},
  variables: Record<string, unknown> = {},
): Promise<Response> {
  return fetch(`${gateway.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...gateway.caller.headers, ...headers },
    body: JSON.stringify({ query, variables }),
  });
}

/** A trace id as a caller would send it, new for each test. */
const newTrace = () => crypto.randomUUID().replaceAll('-', '');
const caller = 'b7ad6b7169203331';
const traceparent = (id: string, flags = '01') => ({ traceparent: `00-${id}-${caller}-${flags}` });

describe('an issuance', () => {
  it('is one trace with its steps and their calls, and the request that began it has the issuance’s id', async () => {
    const upload = await gateway.caller.upload(`${randomUUID()}.png`, 'NON_ATTACHMENT_FILE', 'a picture');
    const id = await issue(gateway.caller, { entries: [entry(gateway.info, randomUUID(), { upload })] });
    expect((await finalOutcome(gateway.caller, id)).status).toBe('COMPLETED');
    [, issued = ''] = atob(id).split(':');
    const spans = await trace(
      issued.replaceAll('-', ''),
      (some) => has('issuance WAITING_FOR_FILES')(some) && has('issuance SUBMITTING')(some),
    );
    for (const { attributes } of spans) expect(attributes['srr.issuance.id']).toBe(issued);
    const steps = new Map(named(spans, 'issuance SUBMITTING').map((step) => [step.spanId, step]));
    expect(named(spans, 'call COMMERCE').some(({ parentSpanId = '' }) => steps.has(parentSpanId))).toBe(true);
    expect(collector.spans).toContainEqual(
      expect.objectContaining({
        name: 'GraphQL mutation',
        attributes: expect.objectContaining({ 'srr.fields': 'issueSRRs', 'srr.issuance.id': issued }),
      }),
    );
  });

  it('ends with a delivery, which has its own trace', async () => {
    await expect
      .poll(() => named(collector.spans, 'POST /webhooks/commerce'), { timeout: 15_000 })
      .toContainEqual(
        expect.objectContaining({
          attributes: expect.objectContaining({ 'srr.events.stored': 1, 'srr.events.repeated': 0 }),
        }),
      );
  });
});

describe('a subscription', () => {
  it('has a span for its start and one for each event', async () => {
    const id = newTrace();
    const reader = new GraphQLCaller(gateway.app.url, { ...gateway.caller.headers, ...traceparent(id) });
    const events = reader.subscribe(
      'subscription ($id: ID!) { issuance(id: $id) { status } }',
      { id: btoa(`Issuance:${issued}`) },
      new AbortController().signal,
    );
    for await (const { data } of events) expect(data.issuance.status).toBe('COMPLETED');
    const [request] = named(await trace(id, has('POST /graphql')), 'POST /graphql');
    expect(await trace(id, has('GraphQL subscription'))).toContainEqual(
      expect.objectContaining({
        name: 'GraphQL subscription',
        parentSpanId: request?.spanId,
        attributes: expect.objectContaining({ 'srr.fields': 'issuance', 'srr.outcome': 'ok' }),
      }),
    );
    await expect.poll(() => has('GraphQL event')(collector.spans), { timeout: 15_000 }).toBe(true);
  });
});

describe('a read', () => {
  /** Pages with metadata so far: each has one record more, whose document is in no cache yet. */
  let pages = 0;

  it('is part of its caller’s trace, with the operation and its call to each source', async () => {
    const id = newTrace();
    const answer = await ask(
      `query Named { srrs(first: ${++pages}) { edges { node { tokenId metadata { name } } } }
        uploads(files: [{ filename: "none.png", category: ARTWORK }]) { status } }`,
      traceparent(id),
    );
    expect(await answer.json()).not.toHaveProperty('errors');
    const spans = await trace(id, has('POST /graphql'));
    const [request] = named(spans, 'POST /graphql');
    const [operation] = named(spans, 'GraphQL query');
    expect(request).toMatchObject({
      parentSpanId: caller,
      failed: false,
      attributes: { 'http.response.status_code': 200, 'srr.request.id': answer.headers.get('x-request-id') },
    });
    expect(operation).toMatchObject({
      parentSpanId: request?.spanId,
      attributes: { 'graphql.operation.type': 'query', 'srr.fields': 'srrs uploads', 'srr.outcome': 'ok' },
    });
    const { info } = gateway;
    for (const [upstream, url, method, status] of [
      ['COMMERCE', info.commerceUrl, 'POST', 201],
      ['SUBGRAPH', info.subgraphUrl, 'POST', 200],
      ['IPFS', info.ipfsUrl, 'GET', 200],
    ] as const)
      expect(named(spans, `call ${upstream}`)).toContainEqual(
        expect.objectContaining({
          parentSpanId: operation?.spanId,
          attributes: {
            'srr.request.id': id,
            'srr.upstream': upstream,
            'server.address': new URL(url).host,
            'http.request.method': method,
            'http.response.status_code': status,
            'srr.attempt': 1,
            'srr.outcome': 'ok',
          },
        }),
      );
  });

  it('without a caller’s trace has its request id as trace id', async () => {
    const answer = await ask('{ viewer { issuer } }');
    const id = answer.headers.get('x-request-id')?.replaceAll('-', '') ?? '';
    const [operation] = named(await trace(id, has('GraphQL query')), 'GraphQL query');
    expect(operation?.attributes).toMatchObject({ 'srr.fields': 'viewer' });
  });

  it('is not traced when the caller’s traceparent is not sampled', async () => {
    const [not, wanted] = [newTrace(), newTrace()];
    // New documents, because an answer from a cache has no span.
    await ask(`# ${not}\n{ __typename }`, traceparent(not, '00'));
    await ask(`# ${wanted}\n{ __typename }`, traceparent(wanted));
    await trace(wanted, has('POST /graphql'));
    expect(collector.spans.filter(({ traceId }) => traceId === not)).toEqual([]);
  });

  it('with a failing call has a span for each attempt, with its outcome', async () => {
    await control(gateway.sandbox.sandbox, 'faults', {
      ...{ kind: 'response', route: 'fileMetadata', when: 'before', effect: '502' },
    });
    const id = newTrace();
    await ask(
      '{ uploads(files: [{ filename: "none.png", category: ARTWORK }]) { status } }',
      traceparent(id),
    );
    const calls = named(await trace(id, has('POST /graphql')), 'call COMMERCE');
    expect(
      calls
        .slice(-2)
        .map(({ failed, attributes }) => [attributes['srr.attempt'], attributes['srr.outcome'], failed]),
    ).toEqual([
      [1, 'UPSTREAM_UNAVAILABLE', true],
      [2, 'ok', false],
    ]);
  });

  it('has no operation when it joins an earlier execution, and no upstream call on a cache hit', async () => {
    const page = 'query ($first: Int) { srrs(first: $first) { edges { node { tokenId } } } }';
    const read = async (first: number, headers: Record<string, string> = {}) => {
      const id = newTrace();
      const answer = await ask(page, { ...traceparent(id), ...headers }, { first });
      return { id, cacheStatus: answer.headers.get('cache-status') };
    };
    const spansOf = async (id: string) =>
      (await trace(id, has('POST /graphql'))).map(({ name }) => name).sort();
    await read(1);
    let first = 1;
    await expect
      .poll(async () => {
        first++;
        const readers = await Promise.all(Array.from({ length: 10 }, () => read(first)));
        const joined = readers.find(({ cacheStatus }) => cacheStatus === 'srr-gateway; fwd=miss; collapsed');
        return joined && spansOf(joined.id);
      })
      .toEqual(['POST /graphql']);
    await expect
      .poll(async () => {
        const { id, cacheStatus } = await read(first, { 'graphql-cost': 'report' });
        return [cacheStatus, ...(await spansOf(id))];
      })
      .toEqual([null, 'GraphQL query', 'POST /graphql']);
  });

  it('that ends with an error has a failed operation', async () => {
    const id = newTrace();
    // A new document: graphql-js executes it once, and not after a plan.
    await ask(`# ${id}\n{ srrs(after: "no cursor") { edges { cursor } } }`, traceparent(id));
    const [operation] = named(await trace(id, has('POST /graphql')), 'GraphQL query');
    expect(operation).toMatchObject({ failed: true, attributes: { 'error.type': 'errors' } });
  });

  it('has one request span when its plan leaves it to graphql-js', async () => {
    const id = newTrace();
    const query = '{ licensedUsers(after: "no cursor") { edges { cursor } } }';
    await ask(query);
    await ask(query, traceparent(id));
    const executed = (spans: ReceivedSpan[]) => named(spans, 'GraphQL query').length === 2;
    const spans = await trace(id, (some) => executed(some) && has('POST /graphql')(some));
    expect(named(spans, 'POST /graphql')).toHaveLength(1);
  });
});

describe('the collector', () => {
  it('gets the service name and the configured headers', () => {
    expect(collector.services).toEqual(new Set(['gateway-under-test']));
    expect(new Set(collector.headers.map((one) => one['x-collector-key']))).toEqual(new Set(['a key']));
  });

  it('gets the last spans when the gateway stops, with only the runtime packages installed', async () => {
    const observed = join(tmpdir(), `observed-${randomUUID()}`);
    const closedUrl = await closedPort();
    const process = await gatewayProcess({
      nodeArguments: ['--import', './test/_util/observe-process.ts'],
      env: {
        ...{ COMMERCE_URL: closedUrl, SUBGRAPH_URL: closedUrl, IPFS_GATEWAYS: closedUrl },
        ...{ OBSERVE_FILE: observed, PRODUCTION_ONLY: '1' },
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      },
    });
    onTestFinished(() => process.remove());
    await process.start();
    const id = newTrace();
    await fetch(`${process.url}/graphql?query={__typename}`, {
      headers: { ...traceparent(id), cookie: 'a' },
    });
    expect(await process.stop('SIGTERM')).toBe(0);
    expect(collector.spans.filter(({ traceId }) => traceId === id).map(({ name }) => name)).toEqual([
      'GraphQL query',
      'GET /graphql',
    ]);
    expect(readFileSync(observed, 'utf8')).not.toMatch(/^foreign-module/m);
  });

  it.each<[string, (res: ServerResponse) => unknown, string]>([
    ['is down', (res) => res.destroy(), 'ECONNRESET'],
    ['never answers', () => {}, 'not accepted within 5 s'],
    ['refuses everything', (res) => res.writeHead(403).end('a-word-of-the-collector'), '403'],
  ])('that %s delays no request and no stop, and is logged once', async (_what, answer, message) => {
    const { url, received } = await serve((_req, res) => answer(res));
    const { log, lines, text } = capturedLog();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=sown-secret',
    };
    const lone = await startLoneGateway(env, log);
    const complaints = () =>
      lines().filter(({ msg, level }) => String(msg).startsWith('the collector') && (level as number) >= 30);
    const askQuickly = async () => {
      const startedAt = Date.now();
      expect((await lone.as({ cookie: 'a' }).ask('{ __typename }')).status).toBe(200);
      expect(Date.now() - startedAt).toBeLessThan(1_000);
    };
    await askQuickly();
    await expect.poll(complaints, { timeout: 15_000 }).toHaveLength(1);
    const tries = received.length;
    // Later spans are sent too, but their failures are not logged again.
    await expect
      .poll(() => askQuickly().then(() => received.length), { timeout: 15_000 })
      .toBeGreaterThan(tries);
    const stoppedAt = Date.now();
    await lone.stop();
    expect(Date.now() - stoppedAt).toBeLessThan(4_000);
    const err = expect.objectContaining({ message });
    expect(complaints()).toEqual([expect.objectContaining({ level: 40, host: new URL(url).host, err })]);
    expect(text()).not.toMatch(/sown-secret|a-word-of-the-collector/);
  });
});
