import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type LoneGateway, loneIssuer, loneToken, startLoneGateway } from './_util/lone-gateway.ts';

let gateway: LoneGateway;
beforeAll(async () => {
  gateway = await startLoneGateway();
});
afterAll(() => gateway?.stop());

interface Told {
  message: string;
  extensions: { code: string; inputPath?: string[] };
}

/** Code and place of every error of an answer. */
async function told(query: string, variables: object = {}): Promise<[string, string | undefined][]> {
  const { errors = [] } = await gateway.caller.ask(query, variables as Record<string, unknown>);
  return (errors as unknown as Told[]).map(({ extensions }) => [
    extensions.code,
    extensions.inputPath?.join('.'),
  ]);
}

const entry = (over: object = {}) => ({
  externalId: 'a',
  artistAddress: loneIssuer,
  isPrimaryIssuer: true,
  lockExternalTransfer: false,
  ...over,
});
const issue = `mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { userErrors { code } } }`;

describe('an error in a variable', () => {
  it('says where in the input the value stands', async () => {
    const entries = [entry(), entry(), entry(), entry({ artistAddress: '0x12' })];
    expect(await told(issue, { input: { entries } })).toEqual([
      ['INVALID_INPUT', 'input.entries.3.artistAddress'],
    ]);
  });

  it('says it of each of several, in lists within lists too', async () => {
    const bad = entry({
      artistAddress: 'nobody',
      metadata: { title: { en: 5 }, chipUIDs: ['a', 7] },
      attachments: [{ name: 'a', category: 'NO_SUCH', file: {} }],
    });
    const places = (await told(issue, { input: { entries: [entry(), bad] } })).map(([, place]) => place);
    expect(places).toEqual(
      expect.arrayContaining([
        'input.entries.1.artistAddress',
        'input.entries.1.metadata.title',
        'input.entries.1.metadata.chipUIDs.1',
        'input.entries.1.attachments.0.category',
        // What is missing is named as well.
        'input.entries.1.metadata.name',
      ]),
    );
    expect(places).not.toContain(undefined);
  });

  it('names a field that does not exist', async () => {
    const entries = [entry({ 'at "input.x"; "': 1 })];
    expect(await told(issue, { input: { entries } })).toEqual([
      ['INVALID_INPUT', 'input.entries.0.at "input.x"; "'],
    ]);
  });

  it('counts from the argument that uses the variable, whatever its name is', async () => {
    const query = `mutation ($who: Address!, $rest: [IssueEntryInput!]!) {
      first: issueSRRs(input: { entries: [{ externalId: "a", artistAddress: $who, isPrimaryIssuer: true, lockExternalTransfer: false }] }) { userErrors { code } }
      ...Second
    }
    fragment Second on Mutation { second: issueSRRs(input: { entries: $rest }) { userErrors { code } } }`;
    expect(await told(query, { who: 'x', rest: [entry({ artistAddress: 'y' })] })).toEqual([
      ['INVALID_INPUT', 'input.entries.0.artistAddress'],
      ['INVALID_INPUT', 'input.entries.0.artistAddress'],
    ]);
    expect(await told(query, { who: loneIssuer, rest: [entry(), entry({ artistAddress: 'y' })] })).toEqual([
      ['INVALID_INPUT', 'input.entries.1.artistAddress'],
    ]);
  });

  it('is placed for one that is missing, and one that must not be null', async () => {
    expect(await told(issue)).toEqual([['INVALID_INPUT', 'input']]);
    expect(await told(issue, { input: null })).toEqual([['INVALID_INPUT', 'input']]);
    const nested =
      'query ($n: Int!) { srrs { edges { node { provenance(first: $n) { edges { cursor } } } } } }';
    expect(await told(nested, { n: 'many' })).toEqual([['INVALID_INPUT', 'first']]);
  });

  it('is found in the operation that was asked for', async () => {
    const query = `query A($x: TokenId!) { srr(tokenId: $x) { id } }
      query B($x: [TokenId!]) { srrs(where: { tokenIds: $x }) { edges { cursor } } }`;
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { x: ['1', 'x'] }, operationName: 'B' }),
    });
    const { errors } = (await response.json()) as { errors: Told[] };
    expect(errors[0]?.extensions.inputPath).toEqual(['where', 'tokenIds', '1']);
  });

  it('of a subscription has its place too, over a socket', async () => {
    const client = createClient({
      url: `${gateway.address.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${loneToken}` },
      retryAttempts: 0,
    });
    const query = 'subscription ($of: [TokenId!]) { events(where: { tokenIds: $of }) { cursor } }';
    const { value } = await client.iterate({ query, variables: { of: ['1', 'two'] } }).next();
    expect((value as { errors: Told[] }).errors[0]?.extensions).toMatchObject({
      code: 'INVALID_INPUT',
      inputPath: ['where', 'tokenIds', '1'],
    });
    await client.dispose();
  });

  it('does not quote a value that is long', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field${n}`, n]));
    const answer = await gateway.caller.ask(issue, { input: { entries: [entry(unknown)] } });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer).length).toBeLessThan(30_000);
    expect(answer.errors).toHaveLength(50);
    expect(answer.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^Variable "\$input" got an invalid value; Field "\w+" /),
      extensions: { code: 'INVALID_INPUT', inputPath: ['input', 'entries', '0', 'field0'] },
    });
  });

  it('is reported with the first fifty when there are hundreds', async () => {
    const entries = Array.from({ length: 300 }, () => entry({ artistAddress: 'x' }));
    const places = await told(issue, { input: { entries } });
    expect(places.slice(0, 50).map(([, place]) => place)).toEqual(
      Array.from({ length: 50 }, (_, i) => `input.entries.${i}.artistAddress`),
    );
    expect(places).toHaveLength(51);
  });
});

describe('an error in a literal', () => {
  const literal = (entries: string) =>
    `mutation { issueSRRs(input: { entries: ${entries} }) { userErrors { code } } }`;
  const good = `externalId: "a", isPrimaryIssuer: true, lockExternalTransfer: false`;

  it.each([
    ['a scalar of ours', literal(`[{ ${good}, artistAddress: "x" }]`), 'input.entries.0.artistAddress'],
    [
      'a scalar of GraphQL',
      literal(`[{ ${good}, artistAddress: "${loneIssuer}", to: 5 }]`),
      'input.entries.0.to',
    ],
    ['a list that is one value', literal(`{ ${good}, artistAddress: "x" }`), 'input.entries.artistAddress'],
    ['a field that is missing', literal(`[{ ${good} }]`), 'input.entries.0.artistAddress'],
    [
      'a field that does not exist',
      literal(`[{ ${good}, artistAddress: "${loneIssuer}", no: 1 }]`),
      'input.entries.0.no',
    ],
    ['a moment', '{ srrs(where: { createdAfter: "today" }) { edges { cursor } } }', 'where.createdAfter'],
    ['an enum', '{ srrs(orderBy: NEWEST) { edges { cursor } } }', 'orderBy'],
    ['an alias', '{ a: srr(tokenId: "1") { id } b: srr(tokenId: "x") { id } }', 'tokenId'],
    [
      'a fragment',
      '{ ...F } fragment F on Query { srr(tokenId: "1", collection: "x") { id } }',
      'collection',
    ],
  ])('says where it stands: %s', async (_what, query, place) => {
    const errors = await told(query);
    expect(errors.map(([, found]) => found)).toEqual([place]);
    // The same document again, whose parts are cached.
    expect(await told(query)).toEqual(errors);
  });
});
