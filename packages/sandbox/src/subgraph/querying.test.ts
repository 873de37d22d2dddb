import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  artist,
  ask,
  buyers,
  caughtUp,
  chain,
  cid,
  collection,
  database,
  idOf,
  issuer,
  refusal,
  salt,
  subgraph,
  transfer,
  useWorld,
} from '../../testing/subgraph-world.ts';
import { registryAbi } from '../chain/artifacts/abis.ts';
import { tokenId } from '../chain/token-id.ts';

useWorld();

beforeAll(async () => {
  const registry = { address: chain.registryAddress, abi: registryAbi };
  const token = BigInt(tokenId(cid('a'), artist));
  await transfer(0, buyers[1] as Address, tokenId(cid('b'), artist));
  await chain.write({ ...registry, functionName: 'setMetadata', args: [token, cid('a2')] });
  await chain.write({
    ...registry,
    functionName: 'transferWithProvenance',
    args: [buyers[2], token, '', 0n, false],
  });
  await caughtUp();
});

describe('lists', () => {
  it('accept filters of every kind', async () => {
    const tokens = async (where: string) => {
      const { srrs } = await ask(`{ srrs(where: ${where}) { metadataDigest } }`);
      return srrs.map((srr: { metadataDigest: string }) => srr.metadataDigest.replace('bafkrei', '')).sort();
    };
    expect(await tokens('{}')).toEqual(['a2', 'b', 'c', 'd']);
    expect(await tokens(`{ tokenId_in: ["${tokenId(cid('b'), artist)}", "1"] }`)).toEqual(['b']);
    expect(await tokens(`{ id_in: ["${idOf('b')}", "${idOf('c', collection)}"] }`)).toEqual(['b', 'c']);
    expect(await tokens('{ id_in: [] }')).toEqual([]);
    expect(await tokens('{ id_not_in: [] }')).toEqual([]);
    expect(await tokens(`{ ownerAddress: "${buyers[1]}" }`)).toEqual(['b']);
    expect(await tokens(`{ ownerAddress_not_in: ["${buyers[1]}", "${issuer}"] }`)).toEqual(['a2']);
    expect(await tokens('{ collection: null }')).toEqual(['a2', 'b']);
    expect(await tokens('{ collection_not: null }')).toEqual(['c', 'd']);
    expect(await tokens('{ collection_: { name_starts_with: "Still" } }')).toEqual(['c', 'd']);
    expect(await tokens('{ artist_: { englishName_contains_nocase: "VERMEER" }, collection: null }')).toEqual(
      ['a2', 'b'],
    );
    expect(await tokens(`{ provenance_: { to: "${buyers[1]}" } }`)).toEqual(['b']);
    expect(await tokens('{ royaltyBasisPoints_gte: 1570 }')).toEqual(['b']);
    expect(await tokens('{ metadataDigest_not_ends_with: "2", metadataDigest_not_contains: "zz" }')).toEqual([
      'b',
      'c',
      'd',
    ]);
    const contains = (text: string) => tokens(`{ metadataDigest_contains: "${text}" }`);
    // As in a hosted subgraph, these are wildcards unless they are escaped.
    expect(await contains('fk_eia')).toEqual(['a2']);
    expect(await contains('%2')).toEqual(['a2']);
    expect(await contains('2%')).toEqual([]);
    expect(await contains('%\\\\%%')).toEqual([]);
    expect(await tokens('{ lockExternalTransfer_not: false }')).toEqual(['c']);
    expect(await tokens('{ createdAt_gt: "0", createdAt_lt: 99999999999999 }')).toHaveLength(4);
    expect(await tokens(`{ or: [{ metadataDigest: "${cid('c')}" }, { royaltyBasisPoints_gt: 1 }] }`)).toEqual(
      ['b', 'c'],
    );
    expect(
      await tokens(
        `{ and: [{ collection: null }, { ownerAddress_contains: "${buyers[1]?.slice(4, 10)}" }] }`,
      ),
    ).toEqual(['b']);
    expect(await tokens('{ or: [] }')).toEqual([]);
    expect(await tokens('{ and: [] }')).toEqual(['a2', 'b', 'c', 'd']);
    expect(await tokens('{ and: [{ or: [] }, { collection: null }] }')).toEqual([]);
    const { licensedUserWallets: wallets } = await ask(
      `{ licensedUserWallets(where: { owners_contains: ["${chain.accounts.owners[2]?.address}"] }) { englishName } }`,
    );
    expect(wallets).toEqual([{ englishName: 'North Gallery' }]);
    // `not_contains` requires that none of them is there; `contains` requires all of them.
    const [first, , third] = chain.accounts.owners.map(({ address }) => address);
    const { licensedUserWallets: others } = await ask(
      `{ licensedUserWallets(where: { owners_not_contains: ["${third}", "${buyers[0]}"] }) { englishName } }`,
    );
    expect(others).toEqual([{ englishName: 'Ada Vermeer' }]);
    const { licensedUserWallets: none } = await ask(
      `{ licensedUserWallets(where: { owners_not_contains: ["${first}", "${third}"] }) { englishName } }`,
    );
    expect(none).toEqual([]);
  });

  it('combine all lists at one level by `and` and by `or`', async () => {
    const [c, none] = [`{ metadataDigest: "${cid('c')}" }`, '{ metadataDigest: "none" }'];
    const found = async (where: string) => (await ask(`{ srrs(where: ${where}) { id } }`)).srrs.length;
    expect(await found(`{ and: [${c}], or: [${c}] }`)).toBe(1);
    expect(await found(`{ and: [${c}], or: [${c}, ${none}] }`)).toBe(0);
    expect(await found('{ and: [], or: [] }')).toBe(0);
    expect(await found(`{ and: [${c}], id_in: [] }`)).toBe(0);
    const deep = Array.from({ length: 40 }).reduce((inner) => `{ and: [${inner}], or: [] }`, c);
    expect(await found(`${deep}`)).toBe(1);
  });

  it('accept an order, with nested keys and ties broken by id', async () => {
    const ids = async (order: string) => {
      const { srrs } = await ask(`{ srrs(${order}) { id tokenId } }`);
      return srrs.map((srr: { id: string }) => srr.id);
    };
    const byId = await ids('first: 10');
    expect(byId).toEqual([...byId].sort());
    expect(await ids('orderBy: id, orderDirection: desc')).toEqual([...byId].reverse());
    const bySymbol = await ids('orderBy: collection__symbol, where: { collection_not: null }');
    expect(bySymbol).toEqual([...bySymbol].sort());
    expect(await ids('orderBy: tokenId, first: 2, skip: 1')).toEqual(
      (await ids('orderBy: tokenId')).slice(1, 3),
    );
  });

  // Only embedded, where the statements can be counted; the SQL is the same on a server.
  it.skipIf(process.env.TEST_DATABASE_URL)(
    'cost one statement for each level and kind, however many rows',
    async () => {
      if (database.kind !== 'pglite') throw new Error('without a server the database is embedded');
      const statements = vi.spyOn(database.lite, 'query');
      const count = async (query: string) => {
        const before = statements.mock.calls.length;
        await ask(query);
        return statements.mock.calls.length - before;
      };
      expect(await count('{ srrs { id } }')).toBe(1);
      expect(
        await count(
          '{ srrs { issuer { id issuedSRRs { collection { name } } } artist { id } provenance { id } } }',
        ),
      ).toBe(5);
      statements.mockRestore();
    },
  );

  it('nest with their own page and order', async () => {
    const { licensedUserWallets: wallets } = await ask(`{ licensedUserWallets(orderBy: englishName) {
      englishName issuedSRRs(first: 2, skip: 1, orderBy: tokenId, orderDirection: desc) { tokenId collection { symbol } }
    } }`);
    const { srrs } = await ask(
      '{ srrs(orderBy: tokenId, orderDirection: desc) { tokenId collection { symbol } } }',
    );
    expect(wallets).toEqual([
      { englishName: 'Ada Vermeer', issuedSRRs: [] },
      { englishName: 'North Gallery', issuedSRRs: srrs.slice(1, 3) },
    ]);
  });
});

describe('queries are refused with the messages of a live subgraph', () => {
  it('for pages out of range', async () => {
    expect(await refusal('{ srrs(first: 1001) { id } }')).toBe(
      'The `first` argument must be between 0 and 1000, but is 1001',
    );
    expect(await refusal('{ collections { srrs(skip: 6000) { id } } }')).toBe(
      'The `skip` argument must be between 0 and 5000, but is 6000',
    );
  });

  it('for blocks that are not available', async () => {
    const head = subgraph.head()?.number;
    const late = `\`subgraph ${subgraph.deployment} has only indexed up to block number ${head} and data for block number 9999 is therefore not yet available\``;
    expect(await refusal('{ srrs(block: { number: 9999 }) { id } }')).toBe(
      `Failed to decode \`block.number\` value: ${late}`,
    );
    expect(await refusal('{ srrs(block: { number_gte: 9999 }) { id } }')).toBe(
      `Failed to decode \`block.number_gte\` value: ${late}`,
    );
    expect(await refusal(`{ srrs(block: { hash: "${salt('no block')}" }) { id } }`)).toBe(
      'Failed to decode `block.hash` value: `no block with that hash found`',
    );
    expect(await refusal('{ srrs(block: { number: 0 }) { id } }')).toMatch(
      /only has data starting at block number 1 /,
    );
  });

  it('for unknown filters and orders', async () => {
    expect(await refusal('{ srrs(where: { tokenId: "1", or: [{ tokenId: "2" }] }) { id } }')).toMatch(
      /^Cannot mix column filters with 'or' operator at the same level\. Found column filter\(s\) 'tokenId' alongside/,
    );
    for (const where of [
      '{ or: null }',
      '{ and: [null] }',
      '{ and: [{ tokenId: "1" }], tokenId: "1" }',
      '{ and: [{ tokenId: "1" }], tokenId_in: ["1"] }',
      '{ or: [{ tokenId: "1" }], _change_block: { number_gte: 1 } }',
    ])
      expect(await refusal(`{ srrs(where: ${where}) { id } }`)).toBe('Filter must by an object');
    for (const [where, message] of [
      ['{ id_in: null }', 'Non-list value passed to `_in` filter'],
      ['{ collection_: null }', 'Query contains value with invalid type `Collection`: `null`'],
      ['{ provenance_: null }', 'Query contains value with invalid type `[SRRProvenance!]!`: `null`'],
      ['{ createdAt_gte: null }', 'Store error: unsupported filter `>=` for value `null`'],
      [
        '{ tokenId_not_contains_nocase: null }',
        'Store error: unsupported filter `not_contains` for value `null`',
      ],
      ['{ tokenId_not_ends_with: null }', 'Store error: unsupported filter ` not like ` for value `null`'],
    ])
      expect(await refusal(`{ srrs(where: ${where}) { id } }`)).toBe(message);
    expect(await refusal('{ srrs(orderBy: provenance) { id } }')).toBe(
      'Ordering by `provenance` is not supported for type `SRR`',
    );
    expect(await refusal('{ srrs(where: { ownerAddress: "0x1" }) { id } }')).toMatch(/Odd number of digits/);
    expect(await refusal('{ srrs { nonsense } }')).toMatch(/Cannot query field "nonsense"/);
    expect(await refusal('{ srrs {')).toMatch(/Syntax Error/);
    const nested = '{ srrs(where: { collection_: { srrs_: { tokenId: "1" } } }) { id } }';
    expect(await refusal(nested)).toMatch(/^Child filter nesting not supported by value `collection`/);
  });

  it('for input that is too large or too deep', async () => {
    expect(await refusal('{ srrs(where: { tokenId: "\\u0000" }) { id } }')).toMatch(/^Store error/);
    const deep = Array.from({ length: 20_000 }).reduce<object>((inner) => ({ and: [inner] }), {});
    const query = 'query ($where: SRR_filter) { srrs(where: $where) { id } }';
    const answer = await subgraph.query({ query, variables: { where: deep } });
    expect(answer.errors).toHaveLength(1);
    const ids = Array.from({ length: 70_000 }, (_, index) => String(index));
    expect(await ask(query, { where: { id_in: [...ids, idOf('b')] } })).toEqual({
      srrs: [{ id: idOf('b') }],
    });
  });
});

describe('the state of the subgraph', () => {
  it('is shown by _meta, without the hash if the query gave a number', async () => {
    const head = await chain.client.getBlock();
    const block = 'block { number hash timestamp parentHash }';
    const { _meta } = await ask(`{ _meta { deployment hasIndexingErrors ${block} } }`);
    expect(_meta).toEqual({
      deployment: subgraph.deployment,
      hasIndexingErrors: false,
      block: {
        number: Number(head.number),
        hash: head.hash,
        timestamp: Number(head.timestamp),
        parentHash: head.parentHash,
      },
    });
    expect(subgraph.deployment).toMatch(/^Qm[1-9A-HJ-NP-Za-km-z]{44}$/);
    const byNumber = await ask(`{ _meta(block: { number: 2 }) { ${block} } }`);
    expect(byNumber._meta.block).toEqual({ number: 2, hash: null, timestamp: null, parentHash: null });
    const byHash = await ask(`{ _meta(block: { hash: "${head.hash}" }) { ${block} } }`);
    expect(byHash._meta.block.number).toBe(Number(head.number));
  });

  describe('with indexing errors', () => {
    const error = { message: 'indexing_error' };
    const collections = [{ name: 'Still Lifes' }];
    const _meta = { hasIndexingErrors: true };

    beforeAll(() => subgraph.setFaults({ hasIndexingErrors: true }));
    afterAll(() => subgraph.setFaults({ hasIndexingErrors: false }));

    it.each([
      ['{ collections { name } }', { errors: [error] }],
      ['{ _meta { hasIndexingErrors } }', { data: { _meta } }],
      ['{ collections(subgraphError: allow) { name } }', { data: { collections }, errors: [error] }],
      [
        `query ($errors: _SubgraphErrorPolicy_! = allow) { ...Collections }
          fragment Collections on Query { collections(subgraphError: $errors) { name } }`,
        { data: { collections }, errors: [error] },
      ],
      ['{ _meta { hasIndexingErrors } collections { name } }', { data: { _meta }, errors: [error] }],
      // `_meta` has no `subgraphError` argument, so it withholds the data at its block.
      [
        '{ collections(subgraphError: allow) { name } _meta { hasIndexingErrors } }',
        { data: { _meta }, errors: [error] },
      ],
      [
        '{ collections(subgraphError: allow) { name } _meta(block: { number_gte: 0 }) { hasIndexingErrors } }',
        { data: { collections, _meta }, errors: [error] },
      ],
      ['{ collections(subgraphError: allow) { name } srrs { id } }', { errors: [error] }],
    ])('answers %s as graph-node does', async (query, answer) => {
      expect(await subgraph.query({ query })).toEqual(answer);
    });
  });

  it('lags by the configured time or blocks', async () => {
    // Relative to the chain's head, and without a lag afterwards: a retry finds the blocks of the first run.
    const behind = async () =>
      Number(await chain.client.getBlockNumber({ cacheTime: 0 })) - (subgraph.head()?.number ?? 0);
    onTestFinished(() => subgraph.setFaults({ lag: { blocks: 0, ms: 0 } }));
    subgraph.setFaults({ lag: { blocks: 2, ms: 0 } });
    // To themselves: a retry finds the same owner.
    for (let i = 0; i < 3; i++) await transfer(1, buyers[1] as Address, tokenId(cid('b'), artist));
    await expect.poll(behind).toBe(2);
    subgraph.setFaults({ lag: { blocks: 0, ms: 0 } });
    await expect.poll(behind).toBe(0);
  });
});
