import { silent as log } from '@srr-gateway/common/testing/database';
import { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { chain, database, subgraph, useWorld } from '../../testing/subgraph-world.ts';
import { nodeRpc } from '../chain/node-client.ts';
import { Indexer } from './indexer.ts';
import { registryEntities } from './schema/entity-model.ts';

useWorld();

it('reports to a read only the reorganisations during that read', async () => {
  await subgraph.stop();
  const indexer = new Indexer({
    db: new Kysely({ dialect: database.dialect }),
    model: registryEntities(),
    client: chain.client,
    deployment: chain.deployment,
    chainId: chain.chainId,
    log,
  });
  await indexer.start();
  const caughtUp = async () => {
    while (await indexer.round());
  };
  for (let block = 0; block < 3; block++) {
    const { timestamp } = await chain.client.getBlock();
    await nodeRpc(chain.client).mine(Number(timestamp) + 1);
  }
  await caughtUp();
  const head = indexer.head?.number ?? Number.NaN;

  await chain.reorganise(3, 'lost');
  await caughtUp();
  const gate = Promise.withResolvers<string>();
  const read = indexer.during(() => gate.promise);
  await chain.reorganise(1, 'lost');
  await caughtUp();
  gate.resolve('rows');

  expect(await read).toEqual({ result: 'rows', lowestAncestor: head - 1 });
  expect(await indexer.during(async () => 'rows')).toEqual({ result: 'rows', lowestAncestor: Infinity });
});
