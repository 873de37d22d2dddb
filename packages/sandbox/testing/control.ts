import { expect } from 'vitest';

/** Posts to a control endpoint of a sandbox and returns its answer; the test fails when it refuses. */
export async function control<T = unknown>(
  sandbox: { url: string },
  path:
    | 'settings'
    | 'faults'
    | 'reorg'
    | 'histories'
    | 'transfers'
    | 'reservations'
    | 'deliveries'
    | `deliveries/${string}`,
  body: object = {},
): Promise<T> {
  const response = await fetch(`${sandbox.url}/sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

export interface GraphAnswer {
  // The shape depends on the query.
  // biome-ignore lint/suspicious/noExplicitAny: an untyped client is the point of these tests
  data?: any;
  errors?: { message: string }[];
}

/** Sends a query to the subgraph over plain HTTP. */
export async function query(
  info: { subgraphUrl: string },
  text: string,
  variables: object = {},
): Promise<GraphAnswer> {
  const response = await fetch(info.subgraphUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as GraphAnswer;
}

export type { ListedDelivery } from '../src/control/deliveries.ts';
