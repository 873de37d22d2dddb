import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { base58btc } from 'multiformats/bases/base58';
import type { EntityModel } from '../schema/entity-model.ts';
import { createTables, dropTables } from './tables.ts';

/**
 * The id of a deployment: a version 0 CID, as graph-node has it, here of everything that decides the data:
 * the tables and `sources`, which identify the chain and its contracts.
 */
export function deploymentId(model: EntityModel, sources: readonly string[]): string {
  const digest = createHash('sha256')
    .update([...sources, ...createTables(model)].join('\n'))
    .digest();
  // Multihash prefix: SHA-256 (0x12), 32 bytes (0x20).
  return base58btc.baseEncode(Buffer.concat([Buffer.from([0x12, 0x20]), digest]));
}

/**
 * Makes this the database's deployment: when the id differs, drops
 * the tables and blocks and creates new tables.
 */
export async function ensureDeployment(db: Kysely<unknown>, model: EntityModel, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string }>`select id from sandbox.subgraph_deployment`.execute(trx);
    if (rows[0]?.id === id) return;
    for (const statement of [...dropTables(model), ...createTables(model)]) {
      await sql.raw(statement).execute(trx);
    }
    await sql`delete from sandbox.subgraph_block`.execute(trx);
    await sql`delete from sandbox.subgraph_deployment`.execute(trx);
    await sql`insert into sandbox.subgraph_deployment (id) values (${id})`.execute(trx);
  });
}
