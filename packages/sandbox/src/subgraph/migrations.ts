import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The tables that every deployment of the subgraph uses: its id, and the blocks that it has read. The
 * deployment itself creates the entities' tables (see store/deployment.ts), because they depend on its schema
 * and can be filled from the chain again at any time.
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
