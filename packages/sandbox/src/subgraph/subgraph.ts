import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import type { GraphQLSchema } from 'graphql';
import { Kysely, sql } from 'kysely';
import type { Chain } from '../chain/chain.ts';
import { FollowLoop } from './follow-loop.ts';
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
  /** Its migrations (`subgraphMigrations`) have run. */
  database: Database;
  chain: Chain;
  /** The database is asked about the chain this often when no block was announced. */
  pollMs?: number;
  log: Logger;
}

/** What can be set at run time, to see how a client takes it. */
export interface SubgraphFaults {
  lag: Lag;
  hasIndexingErrors: boolean;
  /** Data of earlier blocks counts as pruned. */
  earliestBlock: number;
}

export interface Subgraph {
  readonly deployment: string;
  readonly schema: GraphQLSchema;
  /** The last block that the index holds. */
  head(): Block | undefined;
  query(request: QueryRequest): Promise<QueryAnswer>;
  setFaults(faults: Partial<SubgraphFaults>): void;
  /** The block by which every licensed user was there: nothing works on a chain that is cut below it. */
  foundation(): Promise<number>;
  stop(): Promise<void>;
}

/** Announced blocks are read at once; this catches what came while nobody announced, such as a reorganisation. */
const defaultPollMs = 200;

/** Starts the index of the registry's contracts: it follows the chain by itself until it is stopped. */
export async function startSubgraph({ database, chain, pollMs, log }: SubgraphOptions): Promise<Subgraph> {
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
  const trouble = new OutageLog(log, 'the index could not read on; it tries again');
  const loop = new FollowLoop(indexer, pollMs ?? defaultPollMs, trouble);
  loop.start();
  const unsubscribe = chain.onBlock(() => loop.wake());
  const blocks = new BlockStore(db);
  const faults: SubgraphFaults = { lag: indexer.lag, hasIndexingErrors: false, earliestBlock: firstBlock };

  return {
    deployment,
    schema,
    head: () => indexer.head,
    query: async (request) => {
      const { head } = indexer;
      // A live index gives this answer too, until its first block is in.
      if (!head) return { errors: [{ message: `deployment \`${deployment}\` does not exist` }] };
      const before = indexer.reorganisations.count;
      const reader = { db, model };
      const used = { block: 0 };
      const answer = await executeQuery(schema, request, {
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
        log,
      });
      const { count, lowestAncestor } = indexer.reorganisations;
      const torn = count !== before && used.block > lowestAncestor;
      return torn ? { errors: [{ message: queryErrors.reorganised().message }] } : answer;
    },
    setFaults: (changes) => {
      Object.assign(faults, changes);
      indexer.lag = faults.lag;
      loop.wake();
    },
    foundation: async () => {
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
