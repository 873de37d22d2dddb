import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capturedLog } from '../_util/captured-log.ts';
import { closedPort } from '../_util/http-server.ts';
import { type LoneGateway, loneIssuer, startLoneGateway } from '../_util/lone-gateway.ts';
import { startTraceCollector, type TraceCollector } from '../_util/trace-collector.ts';

/** Makes a secret that names its place, so that a leak shows where it came from. */
const plant = (place: string) => `sown-${place}-${'x'.repeat(16)}`;
const word = (place: string) => plant(place).replaceAll('-', '_');
const places = [
  'configured-api-key',
  'configured-token',
  'configured-webhook-key',
  'answers-password',
  'subgraph-key',
  'metrics-token',
  'wrong-token',
  'passed-api-key',
  'wrong-webhook-key',
  'cookie',
  'signature-in-url',
  'collector-key',
  'cdn-key',
  'signals-password',
] as const;
/** Texts that callers send. Their responses may repeat them, but traces must not. */
const words = ['operation_name', 'alias', 'argument', 'filename', 'payload', 'address'] as const;

let service: Server;
let gateway: LoneGateway;
let collector: TraceCollector;
const { log, text: logged } = capturedLog();
const responses: string[] = [];

beforeAll(async () => {
  // Every upstream call fails, and its error repeats the request's headers and address.
  service = createServer((req, res) => {
    const echoed = JSON.stringify({ errors: [{ message: `no: ${JSON.stringify(req.headers)} ${req.url}` }] });
    req.resume().on('end', () => res.writeHead(500, { 'content-type': 'application/json' }).end(echoed));
  });
  await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening));
  collector = await startTraceCollector();
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const issuer = {
    address: loneIssuer,
    apiKey: plant('configured-api-key'),
    webhookKeys: [plant('configured-webhook-key')],
    tokens: [{ token: plant('configured-token'), scopes: ['read', 'upload', 'issue'] }],
  };
  gateway = await startLoneGateway(
    {
      COMMERCE_URL: url,
      SUBGRAPH_URL: `${url}/q?Signature=${plant('signature-in-url')}`,
      IPFS_GATEWAYS: url,
      ISSUERS: JSON.stringify([issuer]),
      SUBGRAPH_API_KEY: plant('subgraph-key'),
      ANSWERS_URL: `redis://gateway:${plant('answers-password')}@${new URL(await closedPort()).host}`,
      METRICS_TOKEN: plant('metrics-token'),
      CDN_PURGE_URL: `${url}/purge`,
      CDN_PURGE_HEADERS: `fastly-key=${plant('cdn-key')}`,
      // Nothing listens there; the gateway starts nevertheless.
      SIGNALS_URL: `redis://gateway:${plant('signals-password')}@${new URL(await closedPort()).host}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${plant('collector-key')}`,
    },
    log,
  );
});
afterAll(async () => {
  await gateway?.stop();
  await collector?.stop();
  service.closeAllConnections();
  service.close();
});

async function send(path: string, init: RequestInit): Promise<number> {
  const response = await fetch(gateway.address + path, init);
  responses.push(`${JSON.stringify([...response.headers])} ${await response.text()}`);
  return response.status;
}

const json = { 'content-type': 'application/json' };
const graphql = (headers: Record<string, string>, query: string) =>
  send('/graphql', { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify({ query }) });

it('secrets never appear in logs, errors, headers, metrics or traces when every upstream call fails', async () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const everything = `{
    viewer { issuer licensedUser { address } }
    srrs { edges { node { owner } } }
    uploads(files: [{ filename: "a.png", category: ARTWORK }]) { status }
    sources { kind health message }
    issuances { edges { node { id } } }
  }`;
  const delivery = JSON.stringify({
    type: word('payload'),
    version: 1,
    data: [{ externalId: word('payload') }],
  });
  const callers: Record<string, string>[] = [
    bearer(plant('configured-token')),
    bearer(plant('wrong-token')),
    { 'commerce-api-key': plant('passed-api-key'), 'issuer-address': loneIssuer },
    { cookie: `session=${plant('cookie')}` },
  ];
  for (const headers of callers) {
    await graphql(headers, everything);
    await graphql(
      headers,
      'mutation { createUploads(input: { files: [{ filename: "a.png", category: ARTWORK }] }) { userErrors { code message upstreamMessage } } }',
    );
    await graphql(headers, '{ noSuchField }');
    await graphql(
      headers,
      `query ${word('operation_name')} { ${word('alias')}: srr(tokenId: "${word('argument')}") { owner } }`,
    );
    await send(`/graphql?query={__typename}&${word('address')}`, { headers });
    await send(`/uploads/artwork/${word('filename')}.png`, {
      method: 'PUT',
      headers: { 'content-type': 'image/png', ...headers },
      body: 'x',
    });
    await send('/uploads/artwork/a.png', {
      method: 'PUT',
      headers: { 'content-type': 'image/png', ...headers },
      body: 'x',
    });
  }
  for (const key of [plant('configured-webhook-key'), plant('wrong-webhook-key')])
    for (const body of ['{', '[]', '{"type":"issue_complete","payload":[{"a":1}]}', delivery])
      await send('/webhooks/commerce', { method: 'POST', headers: { ...json, 'x-api-key': key }, body });
  expect(await send('/metrics', { headers: bearer(plant('wrong-token')) })).toBe(401);
  expect(await send('/metrics', { headers: bearer(plant('metrics-token')) })).toBe(200);
  expect(await send('/health/ready', {})).toBeLessThan(600);

  // An empty log would prove nothing.
  expect(logged()).toContain('SIGNALS_URL: no connection to 127.0.0.1');
  expect(logged()).toContain('ANSWERS_URL: the cache of shared answers is unavailable');
  expect(logged().length).toBeGreaterThan(500);
  for (const place of places) {
    expect(logged(), `${place} in the log`).not.toContain(plant(place));
    expect(responses.join('\n'), `${place} in an answer`).not.toContain(plant(place));
  }
  const last = crypto.randomUUID().replaceAll('-', '');
  const traceparent = `00-${last}-b7ad6b7169203331-01`;
  await send('/webhooks/commerce', { method: 'POST', headers: { ...json, traceparent }, body: '{}' });
  const traces = () => collector.bodies.join('\n');
  // Spans arrive in the order in which they end, so this one arrives last.
  await expect.poll(traces, { timeout: 10_000 }).toContain(last);
  for (const kind of [
    'POST /webhooks/commerce',
    'call COMMERCE',
    'call SUBGRAPH',
    'GraphQL mutation',
    'PUT /uploads',
  ])
    expect(traces()).toContain(kind);
  for (const place of places) expect(traces(), `${place} in a trace`).not.toContain(plant(place));
  for (const place of words) expect(traces(), `${place} in a trace`).not.toContain(word(place));
});

it('an object that is logged by mistake has its secrets redacted', () => {
  const { log, text } = capturedLog();
  const names = [
    'authorization',
    'cookie',
    'commerce-api-key',
    'x-api-key',
    'apiKey',
    'token',
    'signedUrl',
    'password',
  ];
  const object = Object.fromEntries(names.map((name) => [name, plant(name)]));
  log.info(object, 'at the top');
  log.info({ req: { headers: object } }, 'in a request');
  log.error({ err: Object.assign(new Error('failed'), { options: object }) }, 'in an error');
  expect(text().match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(names.length * 3);
  expect(text()).not.toContain('sown-');
});
