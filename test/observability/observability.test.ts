import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { version } from '../../src/lib/version.ts';
import { counters } from '../../src/observability/counters.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { loneWebhookKey, startLoneGateway } from '../_util/lone-gateway.ts';
import { metric, metricsOf } from '../_util/metrics.ts';
import { tablesOf } from '../_util/tables.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../docs/operate', name), 'utf8');
const scrape = async (headers: Record<string, string> = {}) =>
  fetch(`${gateway.app.url}/metrics`, { headers });
const metrics = () => metricsOf(gateway.app.url);

const isOurs = (family: string) => family.startsWith('srr_');

const value = (name: string, labels?: Record<string, string>) => metric(gateway.app.url, name, labels);

describe('metrics', () => {
  it('cover operations, upstream calls, caches and responses', async () => {
    const queries = (outcome: string) =>
      value('srr_operation_duration_seconds_count', { kind: 'query', outcome });
    const before = await queries('ok');
    await gateway.caller.data(
      '{ viewer { issuer } srrs(first: 2) { edges { node { tokenId metadata { name } } } } }',
    );
    await gateway.anonymous.ask('{ issuances { edges { cursor } } }');
    expect(await queries('ok')).toBeGreaterThan(before);
    expect(await queries('errors')).toBeGreaterThan(0);
    const calls = { upstream: 'SUBGRAPH', outcome: 'ok' };
    expect(await value('srr_upstream_call_duration_seconds_count', calls)).toBeGreaterThan(0);
    expect(await value('srr_http_requests_total', { route: '/graphql', status: '200' })).toBeGreaterThan(0);
    const question = '{ srrs(first: 1) { edges { cursor } } }';
    for (let n = 0; n < 3; n++) await gateway.anonymous.data(question);
    expect(await value('srr_cache_lookups_total', { cache: 'answers', result: 'hit' })).toBeGreaterThan(0);
    // Different documents that need the same query to the subgraph.
    await expect
      .poll(async () => {
        await gateway.anonymous.data(`query Q${Date.now()} { srrs(first: 1) { edges { cursor } } }`);
        return value('srr_cache_lookups_total', { cache: 'subgraph', result: 'hit' });
      })
      .toBeGreaterThan(0);
  });

  it('cover the process: release, memory, processor, event loop and garbage collection', async () => {
    expect(await value('process_resident_memory_bytes')).toBeGreaterThan(10e6);
    expect(await value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(await value('srr_build_info', { version })).toBe(1);
    // Each scrape resets the event loop's delays, so the second of two quick scrapes may find none.
    await expect.poll(() => value('nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0);
    expect(await metrics()).toContain('# TYPE nodejs_gc_duration_seconds histogram');
  });

  it('count SSE streams while they are open', async () => {
    const leaving = new AbortController();
    const stream = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...gateway.caller.headers },
      body: JSON.stringify({ query: 'subscription { events { __typename } }' }),
      signal: leaving.signal,
    });
    expect(stream.status).toBe(200);
    expect(await value('srr_sse_connections')).toBe(1);
    leaving.abort();
    await expect.poll(() => value('srr_sse_connections')).toBe(0);
  });

  it('have every counter from the start, so that an alert sees the first increment', async () => {
    const text = await metrics();
    for (const { name, labels } of Object.values(counters))
      for (const [label, values] of Object.entries(labels))
        for (const one of values)
          expect(text).toMatch(new RegExp(`^${name}\\{(.+,)?${label}="${one}"(,.+)?\\} \\d`, 'm'));
  });

  it('have no label values that a stranger could choose', async () => {
    const marker = crypto.randomUUID();
    await fetch(`${gateway.app.url}/${marker}?${marker}`, { headers: { 'user-agent': marker } });
    await gateway.anonymous.ask(`query Q${marker.replaceAll('-', '')} { ${marker.replaceAll('-', '_')} }`);
    const text = await metrics();
    expect(text).not.toContain(marker.slice(0, 8));
    expect(text).toContain('route="other"');
  });

  it('are served to this machine, but not through a proxy', async () => {
    const { status, headers } = await scrape();
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'])
      expect((await scrape({ [name]: '192.0.2.1' })).status, name).toBe(401);
  });

  it.each([
    ['localhost', 200],
    ['127.0.0.1:9', 200],
    ['[::1]:4000', 200],
    ['rebound.example', 401],
    ['localhost.rebound.example:4000', 401],
    ['127.0.0.1.rebound.example', 401],
  ])('are served only when Host names this machine, because of DNS rebinding: %s', async (host, status) => {
    const scrape = request(`${gateway.app.url}/metrics`, { headers: { host } }).end();
    const [answer] = (await once(scrape, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(status);
  });

  it('are served while the store is down, without those that are read from the store', async () => {
    expect(await metrics()).toMatch(/^srr_store_up 1$/m);
    const tables = tablesOf(gateway.database);
    await sql`alter table gateway.issuance rename to issuance_away`.execute(tables);
    await sql`alter table gateway.webhook_endpoint rename to endpoint_away`.execute(tables);
    try {
      const answer = await scrape();
      const text = await answer.text();
      expect(answer.status).toBe(200);
      expect(text).toMatch(/^srr_store_up 0$/m);
      expect(text).toMatch(/^srr_http_requests_total\{/m);
      expect(text).not.toMatch(
        /^srr_(webhook_)?(queue_age_seconds|issuances|endpoints|outcomes_overdue)[ {]/m,
      );
    } finally {
      await sql`alter table gateway.endpoint_away rename to webhook_endpoint`.execute(tables);
      await sql`alter table gateway.issuance_away rename to issuance`.execute(tables);
    }
    expect(await metrics()).toMatch(/^srr_store_up 1$/m);
  });

  it('report the store as down while it is read-only, and so do the readiness probe and `sources`', async () => {
    const lone = await startLoneGateway();
    onTestFinished(lone.stop);
    const tables = tablesOf(lone.database);
    const reported = async () => {
      const { sources } = await lone.anonymous.data('{ sources { kind health message } }');
      const probe = await fetch(`${lone.address}/health/ready`);
      return {
        up: await metric(lone.address, 'srr_store_up'),
        ready: ((await probe.json()) as { checks: { store: string } }).checks.store,
        source: (sources as { kind: string }[]).find(({ kind }) => kind === 'STORE'),
      };
    };
    const well = { up: 1, ready: 'ok', source: { kind: 'STORE', health: 'OK', message: null } };
    expect(await reported()).toEqual(well);
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(tables);
    const name = sql.id(rows[0]?.name ?? '');
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(tables);
    // Other sessions get the setting when they reconnect. PGlite has only this session.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(tables);
    await sql`set default_transaction_read_only = on`.execute(tables);
    await expect.poll(reported, { timeout: 10_000 }).toEqual({
      up: 0,
      ready: 'failing',
      source: { kind: 'STORE', health: 'DEGRADED', message: 'The database takes no writes.' },
    });
    await sql`set default_transaction_read_only = off`.execute(tables);
  });

  it('measure the delay of live events, but not of events that are replayed from a cursor', async () => {
    const lone = await startLoneGateway();
    onTestFinished(lone.stop);
    const deliver = async (externalId: string) =>
      fetch(`${lone.address}/webhooks/commerce`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': loneWebhookKey },
        body: JSON.stringify({ type: 'issue_failed', data: [{ externalId }] }),
      });
    await deliver('while away');
    await sql`update gateway.event set received_at = received_at - interval '1 minute'`.execute(
      tablesOf(lone.database),
    );
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const events = lone.caller.subscribe(
      'subscription { events(from: BEGINNING) { ... on SRRFailed { externalId } } }',
      {},
      leaving.signal,
    );
    const next = async () => (await events.next()).value?.data.events.externalId;
    const measured = (part: string) => metric(lone.address, `srr_event_delivery_seconds_${part}`);
    expect(await next()).toBe('while away');
    await deliver('live');
    expect(await next()).toBe('live');
    expect(await measured('count')).toBe(1);
    expect(await measured('sum')).toBeLessThan(30);
  });

  it('have an alert for their absence, in which no other rule would fire', () => {
    const { groups } = parse(read('alerts.yml')) as { groups: { rules: { expr: string }[] }[] };
    const silence = groups
      .flatMap(({ rules }) => rules)
      .map(({ expr }) => /^absent\((\w+)\)$/.exec(expr)?.[1]);
    expect(silence).toContain('srr_build_info');
  });

  it('count failures of the gateway that GraphQL answers with status 200', async () => {
    const count = () => value('srr_graphql_failures_total');
    const before = await count();
    await gateway.anonymous.ask('{ issuances { edges { cursor } } }');
    expect(await count()).toBe(before);
    const tables = tablesOf(gateway.database);
    await sql`alter table gateway.issuance rename to issuance_away`.execute(tables);
    try {
      const { errors } = await gateway.caller.ask('{ issuances { edges { cursor } } }');
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNKNOWN_ERROR' });
    } finally {
      await sql`alter table gateway.issuance_away rename to issuance`.execute(tables);
    }
    expect(await count()).toBe(before + 1);
  });

  it.each(['dashboard.json', 'alerts.yml'])(
    'that %s uses exist, and the dashboard shows all of the gateway’s own',
    async (name) => {
      const text = await metrics();
      const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, family = '', type]) => ({
        family,
        type,
      }));
      const series = new Set(
        families.flatMap(({ family, type }) =>
          type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => family + end) : [family],
        ),
      );
      // The YAML parser reads JSON too. An invalid file would be refused as a whole.
      const written = JSON.stringify(parse(read(name)));
      const metricNames = new Set(
        [...written.matchAll(/\b(?:srr|process|nodejs)_\w+/g)].map(([name]) => name),
      );
      expect([...metricNames].filter((name) => !series.has(name))).toEqual([]);
      expect(metricNames.size).toBeGreaterThan(4);
      if (name === 'dashboard.json')
        for (const { family } of families.filter(({ family }) => isOurs(family)))
          expect(
            [...metricNames].some((name) => name.startsWith(family)),
            family,
          ).toBe(true);
    },
  );
});

describe('readiness', () => {
  it('names its checks', async () => {
    await expect
      .poll(async () => (await fetch(`${gateway.app.url}/health/ready`)).json())
      .toEqual({ status: 'ready', checks: { store: 'ok', migrations: 'ok', worker: 'ok' } });
  });
});
