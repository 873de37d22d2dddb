import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type LoneGateway, loneIssuer, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';

let gateway: LoneGateway;
beforeAll(async () => {
  gateway = await startLoneGateway();
});
afterAll(() => gateway?.stop());

interface ResponseError {
  message: string;
  extensions: { code: string; inputPath?: string[] };
}

/** The code and the input path of each error of a response. */
async function errorsOf(query: string, variables: object = {}): Promise<[string, string | undefined][]> {
  const { errors = [] } = await gateway.caller.ask(query, variables as Record<string, unknown>);
  return (errors as unknown as ResponseError[]).map(({ extensions }) => [
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
  it('carries the path of the value in the input', async () => {
    const entries = [entry(), entry(), entry(), entry({ artistAddress: '0x12' })];
    expect(await errorsOf(issue, { input: { entries } })).toEqual([
      ['INVALID_INPUT', 'input.entries.3.artistAddress'],
    ]);
  });

  it('carries its own path when there are several, also in nested lists', async () => {
    const bad = entry({
      artistAddress: 'nobody',
      metadata: { title: { en: 5 }, chipUIDs: ['a', 7] },
      attachments: [{ name: 'a', category: 'NO_SUCH', file: {} }],
    });
    const places = (await errorsOf(issue, { input: { entries: [entry(), bad] } })).map(([, place]) => place);
    expect(places).toEqual(
      expect.arrayContaining([
        'input.entries.1.artistAddress',
        'input.entries.1.metadata.title',
        'input.entries.1.metadata.chipUIDs.1',
        'input.entries.1.attachments.0.category',
        // A missing field has a path as well.
        'input.entries.1.metadata.name',
      ]),
    );
    expect(places).not.toContain(undefined);
  });

  it('carries the path of a field that does not exist', async () => {
    const entries = [entry({ 'at "input.x"; "': 1 })];
    expect(await errorsOf(issue, { input: { entries } })).toEqual([
      ['INVALID_INPUT', 'input.entries.0.at "input.x"; "'],
    ]);
  });

  it('has a path that starts at the argument, not at the name of the variable', async () => {
    const query = `mutation ($who: Address!, $rest: [IssueEntryInput!]!) {
      first: issueSRRs(input: { entries: [{ externalId: "a", artistAddress: $who, isPrimaryIssuer: true, lockExternalTransfer: false }] }) { userErrors { code } }
      ...Second
    }
    fragment Second on Mutation { second: issueSRRs(input: { entries: $rest }) { userErrors { code } } }`;
    expect(await errorsOf(query, { who: 'x', rest: [entry({ artistAddress: 'y' })] })).toEqual([
      ['INVALID_INPUT', 'input.entries.0.artistAddress'],
      ['INVALID_INPUT', 'input.entries.0.artistAddress'],
    ]);
    expect(
      await errorsOf(query, { who: loneIssuer, rest: [entry(), entry({ artistAddress: 'y' })] }),
    ).toEqual([['INVALID_INPUT', 'input.entries.1.artistAddress']]);
  });

  it('has a path when the variable is missing, null or of a wrong type', async () => {
    expect(await errorsOf(issue)).toEqual([['INVALID_INPUT', 'input']]);
    expect(await errorsOf(issue, { input: null })).toEqual([['INVALID_INPUT', 'input']]);
    const nested =
      'query ($n: Int!) { srrs { edges { node { provenance(first: $n) { edges { cursor } } } } } }';
    expect(await errorsOf(nested, { n: 'many' })).toEqual([['INVALID_INPUT', 'first']]);
    const condition = 'query ($short: Boolean!) { viewer { issuer @skip(if: $short) } }';
    expect(await errorsOf(condition, { short: 5 })).toEqual([['INVALID_INPUT', 'short']]);
  });

  it('has the path of the executed operation when the document has several', async () => {
    const query = `query A($x: TokenId!) { srr(tokenId: $x) { id } }
      query B($x: [TokenId!]) { srrs(where: { tokenIds: $x }) { edges { cursor } } }`;
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { x: ['1', 'x'] }, operationName: 'B' }),
    });
    const { errors } = (await response.json()) as { errors: ResponseError[] };
    expect(errors[0]?.extensions.inputPath).toEqual(['where', 'tokenIds', '1']);
  });

  it('has a path in a subscription over WebSocket too', async () => {
    const client = createClient({
      url: `${gateway.address.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${loneToken}` },
      retryAttempts: 0,
    });
    const query = 'subscription ($of: [TokenId!]) { events(where: { tokenIds: $of }) { cursor } }';
    const { value } = await client.iterate({ query, variables: { of: ['1', 'two'] } }).next();
    expect((value as { errors: ResponseError[] }).errors[0]?.extensions).toMatchObject({
      code: 'INVALID_INPUT',
      inputPath: ['where', 'tokenIds', '1'],
    });
    await client.dispose();
  });

  it('does not quote a long value', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field${n}`, n]));
    const answer = await gateway.caller.ask(issue, { input: { entries: [entry(unknown)] } });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer).length).toBeLessThan(30_000);
    expect(answer.errors).toHaveLength(50);
    expect(answer.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^Variable "\$input" got an invalid value; Field "\w+" /),
      locations: [{ line: 1 }],
      extensions: { code: 'INVALID_INPUT', inputPath: ['input', 'entries', '0', 'field0'] },
    });
  });

  it('is one of at most fifty that are reported when there are hundreds', async () => {
    const entries = Array.from({ length: 300 }, () => entry({ artistAddress: 'x' }));
    const places = await errorsOf(issue, { input: { entries } });
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
    [
      "a scalar of the gateway's schema",
      literal(`[{ ${good}, artistAddress: "x" }]`),
      'input.entries.0.artistAddress',
    ],
    [
      'a built-in scalar',
      literal(`[{ ${good}, artistAddress: "${loneIssuer}", to: 5 }]`),
      'input.entries.0.to',
    ],
    [
      'one value in place of a list',
      literal(`{ ${good}, artistAddress: "x" }`),
      'input.entries.artistAddress',
    ],
    ['a missing field', literal(`[{ ${good} }]`), 'input.entries.0.artistAddress'],
    [
      'a field that does not exist',
      literal(`[{ ${good}, artistAddress: "${loneIssuer}", no: 1 }]`),
      'input.entries.0.no',
    ],
    ['a time', '{ srrs(where: { createdAfter: "today" }) { edges { cursor } } }', 'where.createdAfter'],
    ['an enum', '{ srrs(orderBy: NEWEST) { edges { cursor } } }', 'orderBy'],
    ['an alias', '{ a: srr(tokenId: "1") { id } b: srr(tokenId: "x") { id } }', 'tokenId'],
    [
      'a fragment',
      '{ ...F } fragment F on Query { srr(tokenId: "1", collection: "x") { id } }',
      'collection',
    ],
  ])('carries the path of the value: %s', async (_what, query, place) => {
    const errors = await errorsOf(query);
    expect(errors.map(([, found]) => found)).toEqual([place]);
    // Send the same document again, now that the parser cache has it.
    expect(await errorsOf(query)).toEqual(errors);
  });
  it('alone has a path: an error about a field or a fragment has none', async () => {
    const query = '{ noSuch srr(tokenId: "1") { ...Missing } }';
    expect(await errorsOf(query)).toEqual(Array(2).fill(['GRAPHQL_VALIDATION_FAILED', undefined]));
  });
});
