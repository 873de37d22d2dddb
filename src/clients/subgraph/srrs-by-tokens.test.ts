import { expect, it, onTestFinished, vi } from 'vitest';
import { reply, serve } from '../../../test/_util/http-server.ts';
import {
  address,
  answer,
  clientOf,
  type Operation,
  srr,
  variablesOf,
} from '../../../test/_util/schema-subgraph.ts';
import { srrId } from './subgraph.ts';

it('after a switch to a subgraph with other record ids, those ids are used within ten minutes', async () => {
  const token = { contract: address(9), collection: null, tokenId: '1' };
  let id = token.tokenId;
  const server = await serve((request, response) => {
    const { where0 } = request.json<Operation>().variables as { where0: { id_in?: string[] } };
    const rows = [srr(id)].filter((row) => where0.id_in?.includes(row.id) ?? true);
    reply(response, 200, {
      data: { list0: rows, _meta: { block: { number: 7, hash: '0xab' }, hasIndexingErrors: false } },
    });
  });
  const client = clientOf([server.url]);
  const read = async () => (await client.srrsByTokens([token])).srrs.map((row) => row?.id);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await read()).toEqual(['1']);
  // The first request finds out which ids the subgraph uses; the others use those ids, at the same block.
  const [first, ...others] = server.received.map((request) => variablesOf(request).block);
  expect([first, others.length]).toEqual([undefined, 2]);
  for (const block of others) expect(block).toEqual(expect.any(Object));
  id = srrId(token.contract, token.tokenId);
  vi.advanceTimersByTime(11 * 60_000);
  expect(await read()).toEqual([id]);
  id = token.tokenId;
  vi.advanceTimersByTime(11 * 60_000);
  expect(await read()).toEqual(['1']);
});

it('a record whose id is its bare token id is found only in its own contract', async () => {
  const collection = `0x${'aB'.repeat(20)}`;
  const row = { ...srr('1'), collection: { id: collection.toLowerCase() } };
  const server = await serve((request, response) => {
    const { where0 } = request.json<Operation>().variables as { where0: { id_in?: string[] } };
    const rows = where0.id_in?.includes(row.id) === false ? [] : [row];
    reply(response, 200, {
      data: { list0: rows, _meta: { block: { number: 7, hash: '0xab' }, hasIndexingErrors: false } },
    });
  });
  const tokens = [null, collection, address(8)].map((collection) => ({
    contract: collection ?? address(9),
    collection,
    tokenId: '1',
  }));
  const { srrs } = await clientOf([server.url]).srrsByTokens(tokens, {}, 'tokenId');
  expect(srrs.map((found) => found?.id)).toEqual([undefined, '1', undefined]);
  expect(server.received.at(-1)?.json<Operation>().query).toContain('{id collection{id}tokenId}');
});

it('a token that the subgraph does not have costs one request once its ids are known', async () => {
  const known = srrId(address(9), '1');
  const server = await serve((request, response) => answer(request, response, { known: RegExp(known) }));
  const client = clientOf([server.url]);
  const read = async (tokenId: string) =>
    (await client.srrsByTokens([{ contract: address(9), collection: null, tokenId }])).srrs;
  expect(await read('1')).toMatchObject([{ id: known }]);
  expect(await read('2')).toEqual([undefined]);
  expect(server.received).toHaveLength(2);
});
