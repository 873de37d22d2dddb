import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { NewEvent } from '../../store/append-events.ts';
import type { Db } from '../../store/store.ts';

/**
 * Removes the registry's address from events about entries that were sent without a collection: a service may report
 * it as their collection. Without REGISTRY_ADDRESS it cannot be told from a collection's address.
 */
export async function withoutRegistry(trx: Db, issuer: Address, events: NewEvent[]): Promise<NewEvent[]> {
  const named = events.flatMap(({ externalId, collection }, place) =>
    externalId !== null && collection !== null ? [{ place, externalId }] : [],
  );
  if (named.length === 0) return events;
  const { rows } = await sql<{ place: number }>`
    select named.place
    from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as named (place int, "externalId" text)
    join gateway.issuance_entry as entry on entry.external_id = named."externalId"
    where entry.issuer = ${issuer}
    group by named.place
    having bool_and(entry.payload ? 'metadata' and not entry.payload ? 'collectionAddress')`.execute(trx);
  const places = new Set(rows.map(({ place }) => place));
  return events.map((event, place) => (places.has(place) ? { ...event, collection: null } : event));
}
