import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { ClientError, GraphQLClient } from 'graphql-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';

// The subgraph, used by common clients of a live one: graphql-request and curl.

const count = 1_005;

let test: TestSandbox;
let client: GraphQLClient;
let issuer: TestIssuer;
let deployment: string;

beforeAll(async () => {
  test = await startTestSandbox();
  client = new GraphQLClient(test.sandbox.info.subgraphUrl);
  issuer = new TestIssuer(test.sandbox.info);
  const { finalUrl } = await issuer.uploadReady('graph.png', 'non_attachment_file', 'picture');
  const payload = Array.from({ length: count }, () => issuer.entry(finalUrl));
  expect((await issuer.post('srrs', { payload })).status).toBe(201);
  for (;;) {
    const { last } = await client.request<{ last: unknown[] }>(
      `{ last: srrs(first: 1, skip: ${count - 1}, orderBy: createdAt) { id } }`,
    );
    if (last.length > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  ({
    _meta: { deployment },
  } = await client.request<{ _meta: { deployment: string } }>('{ _meta { deployment } }'));
}, 120_000);
afterAll(() => test?.stop());

interface Row {
  id: string;
  createdAt: string;
}

/** The error of graphql-request for a refused query: the subgraph's own text, with HTTP 200. */
async function refusal(query: string, variables: object = {}): Promise<string> {
  const error = await client.request(query, variables).then(
    () => expect.unreachable('it was answered'),
    (cause: unknown) => cause as ClientError,
  );
  expect(error).toBeInstanceOf(ClientError);
  expect(error.response.status).toBe(200);
  return error.response.errors?.[0]?.message ?? '';
}

const run = promisify(execFile);

async function curl(query: string, ...options: string[]): Promise<string> {
  const { stdout } = await run('curl', [
    ...['--silent', '--show-error', '--header', 'content-type: application/json'],
    ...['--data', JSON.stringify({ query }), ...options, test.sandbox.info.subgraphUrl],
  ]);
  return stdout;
}

describe('a page', () => {
  it('has 100 rows by default, and 1,000 at most', async () => {
    const sizes = await client.request<Record<string, Row[]>>(
      '{ some: srrs { id } most: srrs(first: 1000) { id } }',
    );
    expect([sizes.some?.length, sizes.most?.length]).toEqual([100, 1_000]);
    for (const first of [1_001, 0, -1])
      expect(await refusal(`{ srrs(first: ${first}) { id } }`)).toBe(
        `The \`first\` argument must be between 0 and 1000, but is ${first}`,
      );
  });

  it('may begin at row 5,000 at the latest', async () => {
    expect(await client.request('{ srrs(skip: 5000) { id } }')).toEqual({ srrs: [] });
    expect(await refusal('{ srrs(skip: 5001) { id } }')).toBe(
      'The `skip` argument must be between 0 and 5000, but is 5001',
    );
    expect(await refusal('query ($n: Int) { srrs(skip: $n) { id } }', { n: -1 })).toBe(
      'The `skip` argument must be between 0 and 5000, but is -1',
    );
  });

  it('below another list has the same limits', async () => {
    const id = issuer.address.toLowerCase();
    const nested = '{ licensedUserWallet(id: $id) { issuedSRRs(first: $n) { id } } }';
    const query = `query ($id: ID!, $n: Int) ${nested}`;
    const { licensedUserWallet } = await client.request<{ licensedUserWallet: { issuedSRRs: Row[] } }>(
      query,
      {
        id,
        n: 1_000,
      },
    );
    expect(licensedUserWallet.issuedSRRs).toHaveLength(1_000);
    expect(await refusal(query, { id, n: 1_001 })).toBe(
      'The `first` argument must be between 0 and 1000, but is 1001',
    );
  });
});

describe('an order with ties', () => {
  it.each(['asc', 'desc'])('is total (%s): no row is on two pages or on none', async (direction) => {
    const all: Row[] = [];
    for (let skip = 0; skip < count; skip += 200) {
      const { srrs } = await client.request<{ srrs: Row[] }>(
        `{ srrs(first: 200, skip: ${skip}, orderBy: createdAt, orderDirection: ${direction}) { id createdAt } }`,
      );
      all.push(...srrs);
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(count);
    // Hundreds of records share a block, so its time alone does not order them.
    expect(new Set(all.map(({ createdAt }) => createdAt)).size).toBeLessThan(count / 4);
    const sign = direction === 'asc' ? 1 : -1;
    for (const [index, row] of all.slice(1).entries()) {
      const before = all[index] as Row;
      const byTime = Number(row.createdAt) - Number(before.createdAt);
      expect(sign * (byTime || (row.id > before.id ? 1 : -1))).toBeGreaterThan(0);
    }
  });

  it('accepts the field of another entity', async () => {
    const { srrs } = await client.request<{ srrs: { artist: { englishName: string } }[] }>(
      '{ srrs(first: 5, orderBy: artist__englishName, orderDirection: desc) { id artist { englishName } } }',
    );
    expect(new Set(srrs.map(({ artist }) => artist.englishName))).toEqual(
      new Set([test.sandbox.info.artists[0]?.name]),
    );
    expect(await refusal('{ srrs(orderBy: artist__owners) { id } }')).toContain('artist__owners');
  });

  it('can be paged by id without a limit', async () => {
    const seen = new Set<string>();
    for (let after = ''; ; ) {
      const { srrs } = await client.request<{ srrs: Row[] }>(
        'query ($after: ID!) { srrs(first: 300, where: { id_gt: $after }) { id } }',
        { after },
      );
      for (const { id } of srrs) seen.add(id);
      const last = srrs.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
    expect(seen.size).toBe(count);
  });
});

/** The block up to which the subgraph has read. */
async function head(): Promise<{ number: number; hash: string }> {
  const { _meta } = await client.request<{ _meta: { block: { number: number; hash: string } } }>(
    '{ _meta { block { number hash } } }',
  );
  return _meta.block;
}

/** The subgraph's message for a block that is not indexed yet. */
function notYet(block: number, latest: number, argument = 'number'): string {
  return `Failed to decode \`block.${argument}\` value: \`subgraph ${deployment} has only indexed up to block number ${latest} and data for block number ${block} is therefore not yet available\``;
}

describe('a block', () => {
  it('of the future is not yet available', async () => {
    const { number } = await head();
    for (const argument of ['number', 'number_gte'])
      expect(await refusal(`{ srrs(block: { ${argument}: ${number + 10} }) { id } }`)).toBe(
        notYet(number + 10, number, argument),
      );
    expect(await refusal(`{ srrs(block: { hash: "0x${'ab'.repeat(32)}" }) { id } }`)).toBe(
      'Failed to decode `block.hash` value: `no block with that hash found`',
    );
  });

  it('of the past has the data of that time', async () => {
    const { number, hash } = await head();
    const sizes = new Map<number, number>();
    for (const block of [1, number - 1, number]) {
      const { srrs } = await client.request<{ srrs: Row[] }>(
        `{ srrs(first: 1000, orderBy: createdAt, orderDirection: desc, block: { number: ${block} }) { id } }`,
      );
      sizes.set(block, srrs.length);
    }
    expect([sizes.get(1), sizes.get(number)]).toEqual([0, 1_000]);
    const { byHash, byLimit } = await client.request<Record<string, Row[]>>(
      `{ byHash: srrs(first: 3, block: { hash: "${hash}" }) { id }
         byLimit: srrs(first: 3, block: { number_gte: ${number} }) { id } }`,
    );
    expect(byHash).toEqual(byLimit);
    expect(byHash).toHaveLength(3);
    const { _meta } = await client.request<{ _meta: { block: object } }>(
      `{ _meta(block: { number: ${number - 1} }) { block { number hash } } }`,
    );
    expect(_meta.block).toEqual({ number: number - 1, hash: null });
  });
});

// Skipped without curl, but not in CI; graphql-request tests the same above.
const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!hasCurl && !process.env.CI)('curl', () => {
  it('gets the same data as graphql-request: of the past, and in an order with ties', async () => {
    const { number } = await head();
    for (const query of [
      `{ srrs(first: 1000, orderBy: createdAt, block: { number: ${number} }) { id createdAt } }`,
      `{ srrs(first: 1000, orderBy: createdAt, orderDirection: desc, block: { number: ${number - 1} }) { id } }`,
      '{ srrs(first: 200, skip: 100, orderBy: createdAt, orderDirection: desc) { id createdAt } }',
    ])
      expect(JSON.parse(await curl(query))).toEqual({ data: await client.request(query) });
    expect(JSON.parse(await curl('{ srrs(block: { number: 1 }) { id } }'))).toEqual({ data: { srrs: [] } });
  });

  it('gets the same error for a block in the future as graphql-request', async () => {
    const { number } = await head();
    expect(JSON.parse(await curl(`{ srrs(block: { number: ${number + 10} }) { id } }`))).toEqual({
      errors: [{ message: notYet(number + 10, number) }],
    });
  });

  it('gets a page, with the indexed block in a header, as a GraphQL response', async () => {
    const answer = await curl('{ srrs(first: 1000) { id } }', '--include');
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200/);
    const indexed = /graph-indexed: (.+)/i.exec(head)?.[1];
    expect(JSON.parse(indexed ?? '')).toEqual({
      hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      number: expect.any(Number),
      timestamp: expect.any(Number),
    });
    expect(JSON.parse(body).data.srrs).toHaveLength(1_000);
  });

  it.each([
    ['{ srrs(skip: 5001) { id } }', 'The `skip` argument must be between 0 and 5000, but is 5001'],
    [
      '{ srrs(where: { tokenId: "1", or: [{ tokenId: "2" }] }) { id } }',
      "Cannot mix column filters with 'or' operator at the same level.",
    ],
    ['{ nothing { id } }', 'Cannot query field "nothing" on type "Query"'],
    ['{ srrs(where: { ownerAddress: "0x123" }) { id } }', 'Odd number of digits'],
    ['{', 'Syntax Error'],
  ])('gets errors with HTTP 200: %s', async (query, message) => {
    const answer = await curl(query, '--write-out', '\n%{http_code}');
    const [body = '', status] = answer.split('\n');
    expect(status).toBe('200');
    const { errors, data } = JSON.parse(body);
    expect(data).toBeUndefined();
    expect(errors[0].message).toContain(message);
  });
});

describe('a filter', () => {
  /** How many records a filter matches, up to one page. */
  async function found(where: string): Promise<number> {
    const { srrs } = await client.request<{ srrs: Row[] }>(`{ srrs(first: 1000, where: ${where}) { id } }`);
    return srrs.length;
  }

  it('accepts each suffix, alone and in and/or', async () => {
    const { srrs } = await client.request<{
      srrs: { id: string; tokenId: string; metadataDigest: string }[];
    }>('{ srrs(first: 3, orderBy: tokenId) { id tokenId metadataDigest } }');
    const [one, two] = srrs;
    if (!one || !two) throw new Error('there are records');
    const digest = one.metadataDigest;
    const cases: [string, number][] = [
      [`{ tokenId: "${one.tokenId}" }`, 1],
      [`{ tokenId_not: "${one.tokenId}" }`, 1_000],
      [`{ tokenId_in: ["${one.tokenId}", "${two.tokenId}"] }`, 2],
      [`{ id_in: ["${one.id}"], tokenId_not_in: ["${one.tokenId}"] }`, 0],
      [`{ tokenId_lt: "${two.tokenId}" }`, 1],
      [`{ tokenId_lte: "${two.tokenId}" }`, 2],
      [`{ tokenId_gt: "${one.tokenId}", tokenId_lte: "${two.tokenId}" }`, 1],
      [`{ tokenId_gte: "${one.tokenId}", tokenId_lt: "${two.tokenId}" }`, 1],
      [`{ metadataDigest_starts_with: "${digest.slice(0, 30)}" }`, 1],
      [`{ metadataDigest_starts_with_nocase: "${digest.slice(0, 30).toUpperCase()}" }`, 1],
      [`{ metadataDigest_not_starts_with: "bafkrei" }`, 0],
      [`{ metadataDigest_not_starts_with_nocase: "BAFKREI" }`, 0],
      [`{ metadataDigest_ends_with: "${digest.slice(-20)}" }`, 1],
      [`{ metadataDigest_ends_with_nocase: "${digest.slice(-20).toUpperCase()}" }`, 1],
      [`{ metadataDigest_not_ends_with: "${digest.slice(-20)}" }`, 1_000],
      [`{ metadataDigest_not_ends_with_nocase: "${digest.slice(-20)}" }`, 1_000],
      [`{ metadataDigest_contains: "${digest.slice(10, 40)}" }`, 1],
      [`{ metadataDigest_contains_nocase: "${digest.slice(10, 40).toUpperCase()}" }`, 1],
      [`{ metadataDigest_not_contains: "bafkrei" }`, 0],
      [`{ metadataDigest_not_contains_nocase: "BAFKREI" }`, 0],
      [`{ ownerAddress_contains: "${issuer.address.slice(2, 12)}" }`, 1_000],
      [`{ ownerAddress_not_contains: "${issuer.address.slice(2, 12)}" }`, 0],
      ['{ collection: null }', 1_000],
      ['{ collection_not: null }', 0],
      ['{ royaltyBasisPoints_gt: 0 }', 0],
      ['{ isPrimaryIssuer: true, lockExternalTransfer_not: true }', 1_000],
      ['{ isPrimaryIssuer_in: [false] }', 0],
      [`{ issuer_: { englishName_contains: "Lantern", owners_contains: [] } }`, 1_000],
      [`{ issuer_: { englishName: "Nobody" } }`, 0],
      [`{ metadataHistory_: { metadataDigest: "${digest}" } }`, 1],
      [`{ or: [{ tokenId: "${one.tokenId}" }, { tokenId: "${two.tokenId}" }] }`, 2],
      [`{ and: [{ tokenId_gte: "${one.tokenId}" }, { tokenId_lte: "${one.tokenId}" }] }`, 1],
      [
        `{ and: [{ or: [{ tokenId: "${one.tokenId}" }, { tokenId: "${two.tokenId}" }] }, { tokenId_not: "${two.tokenId}" }] }`,
        1,
      ],
      ['{ _change_block: { number_gte: 1000000 } }', 0],
      ['{ _change_block: { number_gte: 1 } }', 1_000],
    ];
    for (const [where, expected] of cases) expect([where, await found(where)]).toEqual([where, expected]);
  });
});
