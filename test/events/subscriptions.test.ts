import { randomUUID } from 'node:crypto';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code message } }
}`;

const outcomes = `subscription ($after: String, $where: EventFilter) {
  miningOutcomes(after: $after, where: $where) {
    __typename
    ... on SRRIssued { cursor externalId entry { status } srr { tokenId indexing owner issuer { englishName } metadataStatus metadata { name } } }
    ... on SRRFailed { cursor externalId error { code upstreamMessage } }
  }
}`;

interface Outcome {
  __typename: string;
  cursor: string;
  externalId: string;
  srr: { tokenId: string };
}

describe('mining outcomes', () => {
  let gateway: TestGateway;
  let picture: { upload: string };

  beforeAll(async () => {
    // The subgraph lags behind the chain, so that an outcome always comes before its indexed record.
    gateway = await startTestGateway({ sandbox: { indexLagMs: 1_000 } });
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  });
  afterAll(() => gateway.stop());

  const sse = () =>
    createSseClient({
      url: `${gateway.app.url}/graphql`,
      headers: { authorization: `Bearer ${testToken}` },
    });
  const ws = () =>
    createWsClient({
      url: `${gateway.app.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${testToken}` },
    });

  /** Collects the results of a client's subscription. */
  function collect(events: AsyncIterableIterator<{ data?: unknown; errors?: unknown }>) {
    const seen: Outcome[] = [];
    const errors: unknown[] = [];
    const done = (async () => {
      for await (const { data, errors: failed } of events) {
        if (failed) errors.push(failed);
        else seen.push((data as { miningOutcomes: Outcome }).miningOutcomes);
      }
    })();
    return { seen, errors, done };
  }

  /** Gives them names of their own: a retry finds the records of the first run. */
  async function issueRecords(...prefixes: string[]): Promise<string[]> {
    const names = prefixes.map((prefix) => `${prefix}-${randomUUID()}`);
    const entries = names.map((name) => entry(gateway.info, name, picture));
    const { issueSRRs } = await gateway.caller.data(issue, { input: { entries } });
    expect(issueSRRs.userErrors).toEqual([]);
    return names;
  }
  let earlier: string[];

  it('reach subscribers over SSE and WebSocket, joined with chain data and metadata', async () => {
    const sseClient = sse();
    const wsClient = ws();
    const bySse = sseClient.iterate({ query: outcomes });
    const byWs = wsClient.iterate({ query: outcomes });
    const overSse = collect(bySse);
    const overWs = collect(byWs);
    // Issue one record after another until both subscribers have received a first event.
    await expect
      .poll(
        async () => {
          await issueRecords('probe');
          return overSse.seen.length > 0 && overWs.seen.length > 0;
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(true);

    earlier = await issueRecords('alpha', 'beta', 'gamma');
    const named = (seen: Outcome[]) => seen.filter(({ externalId }) => earlier.includes(externalId));
    await expect
      .poll(() => [named(overSse.seen).length, named(overWs.seen).length], { timeout: 20_000 })
      .toEqual([3, 3]);
    for (const outcome of [...named(overSse.seen), ...named(overWs.seen)])
      expect(outcome).toMatchObject({
        __typename: 'SRRIssued',
        entry: { status: 'ISSUED' },
        srr: {
          tokenId: expect.stringMatching(/^\d+$/),
          indexing: 'INDEXED',
          owner: gateway.issuer.address,
          issuer: { englishName: expect.any(String) },
          metadataStatus: 'VERIFIED',
          metadata: { name: outcome.externalId },
        },
      });
    expect(overSse.errors).toEqual([]);
    expect(overWs.errors).toEqual([]);
    await Promise.all([bySse.return?.(), byWs.return?.()]);
    sseClient.dispose();
    await wsClient.dispose();
  });

  it('are replayed from a cursor, and continue live', async () => {
    const { events } = await gateway.caller.data('{ events(first: 1) { edges { cursor } } }');
    const client = ws();
    const iterator = client.iterate({
      query: outcomes,
      variables: { after: events.edges[0].cursor, where: { types: ['SRR_ISSUED'] } },
    });
    const replayed = collect(iterator);
    const [delta] = await issueRecords('delta');
    await expect
      .poll(() => replayed.seen.map(({ externalId }) => externalId), { timeout: 20_000 })
      .toContain(delta);
    const names = replayed.seen.map(({ externalId }) => externalId);
    expect(names).toEqual(expect.arrayContaining([...earlier, delta]));
    expect(new Set(names).size).toBe(names.length);
    await iterator.return?.();
    await client.dispose();
  });

  it('are visible to their issuer only', async () => {
    const other = createSseClient({
      url: `${gateway.app.url}/graphql`,
      headers: { authorization: `Bearer ${testToken}-1` },
    });
    const { events } = await gateway.caller.data('{ events(first: 1) { edges { cursor } } }');
    const iterator = other.iterate({ query: outcomes, variables: { after: events.edges[0].cursor } });
    const { value } = await iterator.next();
    expect(value.errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT' } }]);
    other.dispose();

    const answer = await gateway.anonymous.ask('{ events { edges { cursor } } }');
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it('are refused over a WebSocket without credentials, on which public queries still work', async () => {
    const client = createWsClient({
      url: `${gateway.app.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
    });
    const refused = client.iterate({ query: outcomes });
    await expect(
      (async () => {
        const { value } = await refused.next();
        if (value?.errors) throw value.errors;
      })(),
    ).rejects.toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    const allowed = client.iterate<{ sources: object[] }>({ query: '{ sources { kind } }' });
    const { value } = await allowed.next();
    expect(value.data.sources).toHaveLength(4);
    await client.dispose();
  });
});
