import { expect, it } from 'vitest';
import { capturedLog } from '../../../test/_util/captured-log.ts';
import { failure } from '../../../test/_util/failure.ts';
import { reply, serve } from '../../../test/_util/http-server.ts';
import { clientOf, says } from '../../../test/_util/schema-subgraph.ts';
import type { SubgraphError } from './subgraph.ts';

const inPath = '5f2d0c9b7e6a41d38c1f0b9e2a7d4c63';
const inQuery = 'q8Zt3vKx0LmN5pRw';
const bearer = 'sk-live_77aa66bb55cc44dd';
const keys = new RegExp([inPath, inQuery, bearer].join('|'));
const addressOf = (url: string) => `${url}/api/${inPath}/subgraphs/id/x?key=${inQuery}`;

it.each([
  [`auth error: API key ${inPath} not found`, 'auth error: API key [secret] not found', 'UNAUTHORISED'],
  [
    `error sending request for url (${addressOf('http://node')})`,
    expect.stringContaining('http://node/api/[secret]/'),
    'UNKNOWN',
  ],
  [`token ${bearer} has expired`, 'token [secret] has expired', 'UNKNOWN'],
  ['subgraph not found: x', 'subgraph not found: x', 'NOT_DEPLOYED'],
])('an error of the subgraph is shown without the gateway’s keys: %s', async (message, shown, kind) => {
  for (const status of [200, 500]) {
    const server = await serve((request, response) =>
      status === 200 ? says(message)(request, response) : reply(response, status, { errors: [{ message }] }),
    );
    const client = clientOf([addressOf(server.url)], { apiKey: bearer });
    const error = await failure<SubgraphError>(client.meta());
    expect(error).toMatchObject({ kind });
    expect(error.faults[0].upstreamMessage).toEqual(shown);
    expect(JSON.stringify(error.faults)).not.toMatch(keys);
  }
});

it('an error without a message has none to show', async () => {
  const server = await serve((_, response) => reply(response, 200, { errors: ['no', {}] }));
  const error = await failure<SubgraphError>(clientOf([server.url]).meta());
  expect(error.kind).toBe('UNKNOWN');
  expect(error.faults[0]).not.toHaveProperty('upstreamMessage');
});

it.each([
  [404, (path: string) => `<pre>Cannot POST ${path}</pre>`],
  [500, (path: string) => `${' '.repeat(280)}${path}`],
  [200, () => `no key ${bearer}`],
])('an answer that is not GraphQL (%i) and quotes a key is logged without it', async (status, page) => {
  const server = await serve(({ url }, response) => response.writeHead(status).end(page(url)));
  const { log, lines } = capturedLog();
  await failure(clientOf([addressOf(server.url)], { log, apiKey: bearer }).meta());
  const text = JSON.stringify(lines());
  expect(text).toContain('SUBGRAPH_URL: no GraphQL answer');
  expect(text).not.toMatch(/5f2d|9b7e|q8Zt|sk-live/);
});
