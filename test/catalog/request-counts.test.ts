import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountedGateway, startCountedGateway } from '../_util/counting-upstreams.ts';
import type { Data } from '../_util/graphql-caller.ts';

// The upstream requests of queries: one subgraph request for each level and kind, for any number of nodes;
// one request for each document; and none when the query is repeated at the same block.

let gateway: CountedGateway;
const fetched = new Set<string>();
let ids: { records: string[]; users: string[]; collections: string[] };
let variables: Record<string, unknown>;
/** A page after a cursor stays cached, so each run of a test takes another cursor. */
let cursors: string[];

beforeAll(async () => {
  gateway = await startCountedGateway();
  const { srrs, collections } = await gateway.anonymous.data(`{
    srrs(first: 30) { edges { cursor node { id tokenId contractAddress metadataCID issuer { id address } } } }
    collections(first: 5) { edges { node { id address ownerAddress } } }
  }`);
  const records = srrs.edges.map(({ node }: Data) => node);
  ids = {
    records: records.map(({ id }: Data) => id),
    users: [...new Set<string>(records.map(({ issuer }: Data) => issuer.id))],
    collections: collections.edges.map(({ node }: Data) => node.id),
  };
  const collected = records.find(
    ({ contractAddress }: Data) => contractAddress !== gateway.info.registryAddress,
  );
  variables = {
    token: collected.tokenId,
    collection: collected.contractAddress,
    issuer: records[0].issuer.address,
    // A document that no other query of this test reads.
    cid: records.find(({ metadataCID }: Data) => metadataCID !== null).metadataCID,
    ids: [...ids.records, ...ids.users, ...ids.collections],
    owned: collections.edges[0].node.address,
    owner: collections.edges[0].node.ownerAddress,
  };
  cursors = srrs.edges.map(({ cursor }: Data) => cursor);
});
afterAll(() => gateway?.stop());

const people = 'issuer { englishName } artist { englishName } collection { name }';
const picture = 'metadataStatus metadata { name title { text } image { url } }';

/** Each query with the subgraph requests that it may cause. Documents are counted for every query. */
const queries: [name: string, query: string, subgraph: Record<string, number>][] = [
  ['`{ __typename }`', '{ __typename }', {}],
  ['a document by its CID', 'query ($cid: CID!) { metadata(cid: $cid) { status metadata { name } } }', {}],
  [
    'one record with people, collection and metadata',
    `query ($token: TokenId!, $collection: Address) {
      srr(tokenId: $token, collection: $collection) { owner ${people} ${picture} royalty { percent } }
    }`,
    { Srrs: 1 },
  ],
  [
    'a page of 50 records with people, collections and metadata',
    `{ srrs(first: 50) { edges { node { tokenId owner ${people} ${picture} } } } }`,
    { Srrs: 1 },
  ],
  [
    'the page after a cursor',
    `query ($cursor: String) { srrs(first: 10, after: $cursor) { edges { node { tokenId ${people} } } } }`,
    { Srrs: 1 },
  ],
  [
    'the last page, backwards',
    `{ srrs(last: 10, orderBy: UPDATED_AT_ASC) { edges { node { tokenId ${people} } } pageInfo { startCursor } } }`,
    { Srrs: 1 },
  ],
  [
    'records by a filter with branches',
    `query ($collection: Address, $issuer: Address) {
      srrs(first: 20, where: { issuer: $issuer, or: [{ collection: $collection }, { inRegistry: true }] }) {
        edges { node { tokenId ${people} ${picture} } }
      }
    }`,
    { Srrs: 1 },
  ],
  [
    'nodes of three kinds by their ids',
    `query ($ids: [ID!]!) {
      nodes(ids: $ids) { id ... on SRR { owner } ... on LicensedUser { englishName } ... on Collection { name } }
    }`,
    { Srrs: 1, LicensedUsers: 1, Collections: 1 },
  ],
  [
    'the transfers of one record',
    `query ($token: TokenId!, $collection: Address) { srr(tokenId: $token, collection: $collection) {
      provenance(first: 20) { edges { node { from to timestamp } } pageInfo { hasNextPage } }
    } }`,
    { Srrs: 1 },
  ],
  [
    'a page of 20 records with transfers and both histories',
    `{ srrs(first: 20) { edges { node {
      provenance(first: 5) { edges { node { from to customHistory { name } } } }
      metadataHistory(first: 5) { edges { node { metadataDigest metadata { name } } } }
      customHistories(first: 5) { edges { node { name type } } }
    } } } }`,
    { Srrs: 1 },
  ],
  [
    'collections with their owners',
    '{ collections(first: 10) { edges { node { name symbol owner { englishName } } } } }',
    { Collections: 1, LicensedUsers: 1 },
  ],
  [
    'one record under many names',
    `query ($token: TokenId!, $collection: Address) {
      a: srr(tokenId: $token, collection: $collection) { owner }
      b: srr(tokenId: $token, collection: $collection) { ${people} }
      c: srr(tokenId: "7") { owner }
    }`,
    { Srrs: 1 },
  ],
  [
    'a collection and, beside it, the user who is its owner',
    `query ($owned: Address!, $owner: Address!) {
      licensedUser(address: $owner) { englishName userType }
      collection(address: $owned) { name owner { englishName } }
    }`,
    { LicensedUsers: 1, Collections: 1 },
  ],
  [
    'a licensed user and the records that it issued',
    `query ($issuer: Address!) { licensedUser(address: $issuer) {
      englishName issuedSRRs(first: 20) { edges { node { tokenId ${picture} } } }
    } }`,
    { LicensedUsers: 1, Srrs: 1 },
  ],
  [
    'the lists of many users',
    `query ($ids: [ID!]!) {
      nodes(ids: $ids) { ... on LicensedUser {
        issuedSRRs(first: 3) { edges { node { tokenId ${people} ${picture} } } }
        ownedSRRs(last: 3, orderBy: TOKEN_ID_ASC) { edges { node { tokenId owner } } }
        collections(first: 2) { edges { node { name } } }
      } }
    }`,
    // The nodes have three types, and both lists of records of all users take one request.
    { Srrs: 2, LicensedUsers: 1, Collections: 2 },
  ],
  [
    'the records of many collections, and those of their owners',
    `{ collections(first: 10) { edges { node {
      name
      srrs(first: 5, where: { isPrimaryIssuer: true }, orderBy: CREATED_AT_ASC) { edges { node { tokenId ${people} } } }
      owner { issuedSRRs(first: 5) { edges { node { tokenId } } } }
    } } } }`,
    { Collections: 1, Srrs: 2, LicensedUsers: 1 },
  ],
  [
    'the caller’s own licensed user',
    '{ viewer { issuer licensedUser { englishName } } }',
    { LicensedUsers: 1 },
  ],
];

/** The rows of the table under a heading: the name of a query, its requests when new and when repeated. */
function tableIn(file: string, heading: string): Map<string, [fresh: string, again: string]> {
  const page = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const [, section = ''] = page.split(heading);
  const rows =
    section
      .split('\n\n')
      .find((part) => part.startsWith('|'))
      ?.split('\n') ?? [];
  const cells = rows.slice(2).map((row) => row.split('|').map((cell) => cell.trim()));
  return new Map(cells.map(([, name = '', fresh = '', again = '']) => [name, [fresh, again]]));
}
const documented = tableIn('docs/prepared-reads.md', '## Requests to the subgraph\n');

describe('the tables of upstream requests', () => {
  it('list every query of this test in docs/prepared-reads.md', () => {
    expect([...documented.keys()]).toEqual(queries.map(([name]) => name));
  });

  it('have the same counts in the README, for some of the queries', () => {
    const inReadme = tableIn('README.md', 'Requests to the subgraph for typical queries');
    expect(inReadme.size).toBeGreaterThanOrEqual(6);
    for (const [name, counts] of inReadme) expect(documented.get(name), name).toEqual(counts);
  });
});

describe('upstream requests', () => {
  it.each(queries)('for %s are as in docs/prepared-reads.md', async (name, query, subgraph) => {
    const [fresh, again] = documented.get(name) ?? [];
    const cursor = cursors.pop();
    const ask = () => gateway.caller.data(query, { ...variables, cursor });
    await gateway.moveBlock();
    const cold = await gateway.costOf(ask);
    expect(cold.subgraph).toEqual(subgraph);
    const requests = Object.values(cold.subgraph).reduce((sum, count) => sum + count, 0);
    expect(String(requests), 'in docs/prepared-reads.md').toBe(fresh);
    expect(new Set(cold.cids).size).toBe(cold.cids.length);
    // Content never changes, so no query fetches a document again.
    expect(cold.cids.filter((cid) => fetched.has(cid))).toEqual([]);
    for (const cid of cold.cids) fetched.add(cid);

    expect(await gateway.costOf(ask)).toEqual({ subgraph: {}, cids: [] });
    expect('0', 'in docs/prepared-reads.md').toBe(again);
  });

  it.each([true, false])('leave out the columns of a field that is skipped (%s)', async (skipped) => {
    await gateway.moveBlock();
    const query = `query ($skipped: Boolean!) {
      srrs(first: 4) { edges { node { tokenId artistAddress issuer @skip(if: $skipped) { englishName } } } }
    }`;
    await gateway.costOf(() => gateway.anonymous.data(query, { skipped }));
    const [sent] = gateway.queries().filter((query) => query.includes('tokenId'));
    expect(sent).toContain('artist');
    expect(sent?.includes('issuer')).toBe(!skipped);
  });

  it('for documents are only those of the returned records', async () => {
    expect(fetched.size).toBeGreaterThan(40);
    const { srrs } = await gateway.anonymous.data(
      '{ srrs(first: 50) { edges { node { metadataCID metadataStatus } } } }',
    );
    const records = srrs.edges.map(({ node }: Data) => node).filter(({ metadataCID }: Data) => metadataCID);
    expect(records.map(({ metadataStatus }: Data) => metadataStatus)).toEqual(records.map(() => 'VERIFIED'));
    for (const { metadataCID } of records) expect(fetched).toContain(metadataCID);
  });

  it('for the newest block do not grow with the number of readers', async () => {
    const query = `{ srrs(first: 30) { edges { node { tokenId ${people} } } } }`;
    await gateway.anonymous.data(query);
    const startedAt = Date.now();
    const cost = await gateway.costOf(() =>
      Promise.all(Array.from({ length: 100 }, () => gateway.anonymous.data(query))),
    );
    // On a busy machine the known block may get too old; then the readers share one read.
    expect(cost.subgraph.Srrs ?? 0).toBeLessThanOrEqual(1);
    // Two requests a second for the duration of the queries.
    expect(gateway.headAsked()).toBeLessThanOrEqual(Math.ceil((Date.now() - startedAt) / 500) + 1);
  });
});
