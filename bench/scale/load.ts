import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { percentile } from '../flow/overhead.ts';
import { longTail } from '../long-tail.ts';
import { queries } from '../reads/queries.ts';

/**
 * The parent's messages to the load process, which sends requests at a fixed rate, even if responses are
 * late.
 */
export type LoadRequest = { url: string; perSecond: number; seconds: number } & (
  | { kind: 'reads'; tokens: string[] }
  | { kind: 'deliveries'; deliveries: { key: string; event: object }[] }
);

export interface LoadAnswer {
  requests: number;
  /** Requests without a response, or with another status than 200. */
  failed: number;
  /** Time from when each request was due to its response, without the warm-up. */
  p50: number;
  p99: number;
}

interface Sent {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** As many connections as a load balancer would allow; more requests only wait. */
const dispatcher = new Agent({ connections: 512, pipelining: 1 });
/** A new rate starts with cold code and connections. */
const warmUpMs = 1_000;

const json = { 'content-type': 'application/json', accept: 'application/json' };
const pick = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T;

const { single, join, nested } = queries;
/** The queries of a catalogue and its record pages: seven of ten read one record. */
const mix = [
  { upTo: 0.7, query: single, things: 50_000 },
  { upTo: 0.9, query: join(50), things: 1_000 },
  { upTo: 1, query: nested, things: 1_000 },
];
/** The share of readers with a token. */
const withToken = 0.2;
const visitors = 1_000;

function read(tokens: string[]): Sent {
  const at = Math.random();
  const { query, things } = mix.find(({ upTo }) => at < upTo) as (typeof mix)[number];
  const visitor = Math.floor(Math.random() * visitors);
  return {
    path: '/graphql',
    headers: {
      ...json,
      'x-forwarded-for': `203.0.${visitor >> 8}.${visitor & 255}`,
      ...(Math.random() < withToken && { authorization: `Bearer ${pick(tokens)}` }),
    },
    body: JSON.stringify({ query: query.text, variables: query.variables(longTail(things)) }),
  };
}

const delivery = ({ key, event }: { key: string; event: object }): Sent => ({
  path: '/webhooks/commerce',
  headers: { ...json, 'x-api-key': key },
  body: JSON.stringify(event),
});

async function run(load: LoadRequest): Promise<LoadAnswer> {
  const latencies: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  const send = async (dueAt: number) => {
    const { path, headers, body } = load.kind === 'reads' ? read(load.tokens) : delivery(next());
    try {
      const answer = await request(load.url + path, { method: 'POST', headers, body, dispatcher });
      await answer.body.dump();
      if (answer.statusCode !== 200) failed++;
    } catch {
      failed++;
    }
    if (dueAt - startedAt > warmUpMs) latencies.push(performance.now() - dueAt);
  };
  const next = () => {
    const one = load.kind === 'deliveries' ? load.deliveries.pop() : undefined;
    if (!one) throw new Error('there are too few deliveries for this load');
    return one;
  };
  const under: Promise<void>[] = [];
  const until = startedAt + load.seconds * 1000;
  let dueAt = startedAt;
  while (dueAt < until) {
    const ahead = dueAt - performance.now();
    if (ahead > 1) await sleep(ahead);
    under.push(send(dueAt));
    // Arrivals are independent, so the times between them are exponential.
    dueAt += (-Math.log(1 - Math.random()) * 1000) / load.perSecond;
  }
  await Promise.all(under);
  return {
    requests: under.length,
    failed,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

process.on('message', async (load: LoadRequest) => {
  process.send?.(await run(load));
});
