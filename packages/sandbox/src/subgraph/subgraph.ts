import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { Kysely, sql } from 'kysely';
import type { Chain } from '../chain/chain.ts';
import { FollowLoop } from '../lib/follow-loop.ts';
import { firstBlock, Indexer, type Lag } from './indexer.ts';
import { queryErrors } from './query/errors.ts';
import { executeQuery, type QueryAnswer, type QueryRequest } from './query/execute.ts';
import { Loaders } from './query/loaders.ts';
import { attachResolvers } from './query/resolvers.ts';
import { attachScalars } from './query/scalars.ts';
import { apiSchema } from './schema/api-schema.ts';
import { registryEntities } from './schema/entity-model.ts';
import { type Block, BlockStore } from './store/blocks.ts';
import { deploymentId, ensureDeployment } from './store/deployment.ts';
import { tableName } from './store/tables.ts';

export interface SubgraphOptions {
  /** `subgraphMigrations` must have run on it. */
  database: Database;
  chain: Chain;
  log: Logger;
}

/** Faults that can be set at run time, to test clients. */
interface SubgraphFaults {
  lag: Lag;
  hasIndexingErrors: boolean;
  /** Earlier blocks count as pruned and cannot be queried. */
  earliestBlock: number;
}

/** A running subgraph: its indexer follows the chain, and `query` answers from the database. */
export interface Subgraph {
  readonly deployment: string;
  /** The last indexed block; `undefined` before the first. */
  head(): Block | undefined;
  /** Never throws for a bad query: the answer has the errors. */
  query(request: QueryRequest): Promise<QueryAnswer>;
  setFaults(faults: Partial<SubgraphFaults>): void;
  /** The last block that registered or changed a licensed user; a reorganisation must not remove it. */
  lastLicensedUserBlock(): Promise<number>;
  stop(): Promise<void>;
}

/** Announced blocks are read at once. Polling finds other blocks, such as those of a reorganisation. */
const pollMs = 200;

/** Starts the subgraph of the registry's contracts; its indexer follows the chain until `stop`. */
export async function startSubgraph({ database, chain, log }: SubgraphOptions): Promise<Subgraph> {
  const db = new Kysely<unknown>({ dialect: database.dialect });
  const model = registryEntities();
  const { hash: chainIdentity } = await chain.client.getBlock({ blockNumber: BigInt(firstBlock) });
  const deployment = deploymentId(model, [chainIdentity, chain.registryAddress]);
  await ensureDeployment(db, model, deployment);
  const schema = apiSchema(model);
  attachScalars(schema);
  attachResolvers(schema, model);
  const indexer = new Indexer({
    db,
    model,
    client: chain.client,
    deployment: chain.deployment,
    chainId: chain.chainId,
    log,
  });
  await indexer.start();
  const outage = new OutageLog(log, 'the subgraph could not read new blocks; trying again');
  const loop = new FollowLoop(indexer, pollMs, outage);
  loop.start();
  const unsubscribe = chain.onBlock(() => loop.wake());
  const blocks = new BlockStore(db);
  const faults: SubgraphFaults = { lag: indexer.lag, hasIndexingErrors: false, earliestBlock: firstBlock };

  return {
    deployment,
    head: () => indexer.head,
    query: async (request) => {
      const { head } = indexer;
      // graph-node too gives this answer until it has indexed the first block.
      if (!head) return { errors: [{ message: `deployment \`${deployment}\` does not exist` }] };
      const reader = { db, model };
      const used = { block: 0 };
      const { result, lowestAncestor } = await indexer.during(() =>
        executeQuery(schema, request, {
          state: {
            deployment,
            head,
            earliestBlock: faults.earliestBlock,
            blockByHash: (hash) => blocks.byHash(hash),
          },
          reader,
          loaders: new Loaders(reader),
          hasIndexingErrors: faults.hasIndexingErrors,
          used,
          rootFields: new Map(),
          log,
        }),
      );
      const torn = used.block > lowestAncestor;
      return torn ? { errors: [{ message: queryErrors.reorganised().message }] } : result;
    },
    setFaults: (changes) => {
      Object.assign(faults, changes);
      indexer.lag = faults.lag;
      loop.wake();
    },
    lastLicensedUserBlock: async () => {
      const { rows } = await sql<{ block: number | null }>`
        select max(block_from) as block from ${sql.table(`sandbox.${tableName(model.entity('LicensedUserWallet'))}`)}
      `.execute(db);
      return rows[0]?.block ?? firstBlock;
    },
    stop: async () => {
      unsubscribe();
      await loop.stop();
    },
  };
}
