import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent } from '@srr-gateway/common/testing/database';
import { Client } from 'pg';
import type { Fleet } from './fleet.ts';

/** Work that is over must hold no lease and be due no more. */
const held = `select id::text, status from gateway.issuance
  where lease_owner is not null or lease_until is not null or next_at is not null`;

export interface HeldIssuance {
  id: string;
  status: string;
}

/**
 * Issuances that somebody still holds or has yet to look at. An embedded store has one process at a time:
 * its gateway is killed for the look, not stopped, because a stop would hand leases back.
 */
export async function heldIssuances({ replicas }: Fleet): Promise<HeldIssuance[]> {
  const [replica] = replicas;
  if (!replica) return [];
  if (replica.databaseUrl) return heldOnServer(replica.databaseUrl);
  await replica.stop('SIGKILL');
  const database = await openDatabase({ dataDir: replica.dataDir }, silent);
  try {
    if (database.kind !== 'pglite') throw new Error('a directory holds PGlite');
    return (await database.lite.query<HeldIssuance>(held)).rows;
  } finally {
    await database.close();
    await replica.start();
  }
}

async function heldOnServer(url: string): Promise<HeldIssuance[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<HeldIssuance>(held)).rows;
  } finally {
    await client.end();
  }
}
