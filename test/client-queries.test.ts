import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ClientWorld, clientQueries } from './_util/client-queries.ts';
import { entry } from './_util/entries.ts';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';
import type { Data } from './_util/graphql-caller.ts';
import { valuesAt } from './_util/values-at.ts';

// Operations as front-ends and partners keep them. They are a promise: what breaks one breaks a client.

const folder = new URL('client-queries/', import.meta.url);
const files = readdirSync(folder);
const textOf = (name: string) => readFileSync(new URL(`${name}.graphql`, folder), 'utf8');
const schema = buildSchema(readFileSync(new URL('../schema/gateway.graphql', import.meta.url), 'utf8'));

let gateway: TestGateway;
let world: ClientWorld;

beforeAll(async () => {
  gateway = await startTestGateway({ sandbox: { fixtures: true } });
  const uploaded = { filename: `${randomUUID()}.png`, category: 'NON_ATTACHMENT_FILE' };
  const picture = { upload: await gateway.caller.upload(uploaded.filename, uploaded.category, 'png') };
  const requestId = randomUUID();
  const externalIds = [randomUUID(), randomUUID()];
  const { issueSRRs } = await gateway.caller.data(
    'mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { issuance { id } userErrors { message } } }',
    {
      input: {
        requestId,
        entries: externalIds.map((externalId) => entry(gateway.info, externalId, picture)),
      },
    },
  );
  expect(issueSRRs.userErrors).toEqual([]);
  const { id: issuance } = issueSRRs.issuance;
  const outcome = async () =>
    await gateway.caller.data(
      `query ($id: ID!, $externalIds: [String!]!) {
          issuance(id: $id) { status entries { edges { node { srr { indexing } } } } }
          events(where: { externalIds: $externalIds }) { edges { cursor } }
        }`,
      { id: issuance, externalIds },
    );
  const settled = {
    issuance: {
      status: 'COMPLETED',
      entries: { edges: externalIds.map(() => ({ node: { srr: { indexing: 'INDEXED' } } })) },
    },
    events: { edges: [{}, {}] },
  };
  await vi.waitFor(async () => expect(await outcome()).toMatchObject(settled), { timeout: 30_000 });
  const { events } = await outcome();
  const { srrs, collected, royal, collections } = await gateway.anonymous.data(`{
    srrs(first: 30, where: { inRegistry: true }) {
      edges { cursor node { id tokenId metadataCID owner artistAddress customHistories { edges { node { id } } } } }
    }
    collected: srrs(first: 300, where: { inRegistry: false }) {
      edges { node { id tokenId contractAddress customHistories { edges { node { id } } } provenance { edges { node { from } } } } }
    }
    royal: srrs(first: 300) { edges { node { id tokenId collection { address } royalty { percent } } } }
    collections(first: 10) { edges { node { id address name srrs(first: 1) { edges { node { id } } } } } }
  }`);
  const nodes = (connection: Data) => connection.edges.map(({ node }: Data) => node);
  const holding = nodes(collections).find((one: Data) => one.srrs.edges.length > 0);
  world = {
    info: gateway.info,
    issuer: gateway.issuer.address,
    picture,
    uploaded,
    requestId,
    externalIds,
    firstEvent: events.edges[0].cursor,
    issuance,
    records: nodes(srrs),
    cursor: srrs.edges[10].cursor,
    moved: nodes(collected).find((one: Data) => one.provenance.edges.length > 0).id,
    exhibited: [...nodes(srrs), ...nodes(collected)]
      .filter((one: Data) => one.customHistories.edges.length > 0)
      .map(({ id }: Data) => id),
    royal: nodes(royal).find((one: Data) => one.royalty && one.collection),
    collection: holding,
  };
});
afterAll(() => gateway?.stop());

async function run(name: string): Promise<Data> {
  const { by = 'anonymous', variables } = clientQueries[name] ?? {};
  const caller = by === 'issuer' ? gateway.caller : gateway.anonymous;
  const document = textOf(name);
  if (!/^subscription /m.test(document)) return caller.data(document, variables?.(world));
  const ending = new AbortController();
  try {
    for await (const answer of caller.subscribe(document, variables?.(world) ?? {}, ending.signal)) {
      expect(answer.errors).toBeUndefined();
      return answer.data;
    }
  } finally {
    ending.abort();
  }
}

describe('the operations of clients', () => {
  it('are thirty and more, each with what it must show', () => {
    expect(files.length).toBeGreaterThanOrEqual(30);
    expect(
      Object.keys(clientQueries)
        .map((name) => `${name}.graphql`)
        .toSorted(),
    ).toEqual(files.toSorted());
  });

  it.each(Object.entries(clientQueries))(
    '$0 is valid, runs, and brings its data',
    async (name, { shows }) => {
      expect(validate(schema, parse(textOf(name)))).toEqual([]);
      const data = await run(name);
      for (const path of shows) {
        const { values, wanted } = valuesAt(data, path);
        expect(values.length, `${path} leads nowhere`).toBeGreaterThan(0);
        const present = values.filter((value) => value !== null && value !== undefined);
        expect(present.length, `${path} is null`).toBeGreaterThanOrEqual(
          wanted === 'all' ? values.length : 1,
        );
      }
    },
  );
});
