import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { base58btc } from 'multiformats/bases/base58';
import type { EntityModel } from '../schema/entity-model.ts';
import { createTables, dropTables } from './tables.ts';

/**
 * The id of an index: like a live one a version 0 CID, here the hash of all that its content follows from.
 * `sources` names the chain and the contracts that are read.
 */
export function deploymentId(model: EntityModel, sources: readonly string[]): string {
  const digest = createHash('sha256')
    .update([...sources, ...createTables(model)].join('\n'))
    .digest();
  // 0x12 0x20: a SHA-256 of 32 bytes follows.
  return base58btc.baseEncode(Buffer.concat([Buffer.from([0x12, 0x20]), digest]));
}

/** Makes the database hold this deployment: what another schema, chain or contract left is dropped. */
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
