import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent } from '@srr-gateway/common/testing/database';
import { Client } from 'pg';
import type { Fleet } from './fleet.ts';

/** Finished work must not have a lease or be due. */
const held = `select id::text, status from gateway.issuance
  where lease_owner is not null or lease_until is not null or next_at is not null`;

export interface UnreleasedIssuance {
  id: string;
  status: string;
}

/**
 * The issuances that are still leased or due. An embedded store can only be open in one process, so its
 * gateway is killed for this query; it is not stopped, because a stop would release its leases.
 */
export async function unreleasedIssuances({ replicas }: Fleet): Promise<UnreleasedIssuance[]> {
  const [replica] = replicas;
  if (!replica) return [];
  if (replica.databaseUrl) return unreleasedOnServer(replica.databaseUrl);
  await replica.stop('SIGKILL');
  const database = await openDatabase({ dataDir: replica.dataDir }, silent);
  try {
    if (database.kind !== 'pglite') throw new Error('a directory holds PGlite');
    return (await database.lite.query<UnreleasedIssuance>(held)).rows;
  } finally {
    await database.close();
    await replica.start();
  }
}

async function unreleasedOnServer(url: string): Promise<UnreleasedIssuance[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<UnreleasedIssuance>(held)).rows;
  } finally {
    await client.end();
  }
}
