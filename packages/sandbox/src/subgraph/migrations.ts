import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What outlives a deployment of the index: which one it is, and the blocks that it has read. The entities'
 * tables are made by the deployment itself (see store/deployment.ts), because they follow from its schema
 * and can be filled again from the chain at any time.
 */
export const subgraphMigrations: Record<string, Migration> = {
  subgraph_0001_deployment: {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql`create schema if not exists sandbox`.execute(db);
      await sql`create table sandbox.subgraph_deployment (id text primary key)`.execute(db);
      await sql`create table sandbox.subgraph_block (
        number int primary key,
        hash text not null unique,
        parent_hash text not null,
        timestamp int not null
      )`.execute(db);
    },
  },
};
