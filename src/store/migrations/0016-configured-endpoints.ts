import { type Kysely, sql } from 'kysely';

/** When an endpoint of the configuration was last in that of a replica. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table gateway.webhook_endpoint add column configured_at timestamptz(3)`.execute(db);
  await sql`update gateway.webhook_endpoint set configured_at = clock_timestamp() where configured`.execute(
    db,
  );
}
