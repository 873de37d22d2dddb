import { type Kysely, sql } from 'kysely';

/**
 * Makes each outcome one event, from whichever source it is known, and lets failures be watched for a while.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table gateway.event
    add column visible boolean not null default true,
    add column issuance_id uuid,
    add column entry_index int`,
  // For finding the deliveries about an entry when its ids become known.
  `create index event_by_entry on gateway.event (issuance_id, entry_index) where issuance_id is not null`,
  `alter table gateway.issuance add column ask_index_at timestamptz(3)`,
  `alter table gateway.issuance_batch
    add column last_sent_at timestamptz(3),
    add column watch_until timestamptz(3)`,
  `update gateway.issuance_batch set last_sent_at = first_sent_at`,
  // Append earlier outcomes from the subgraph to the log: from now on a late delivery adds no event for them.
  `insert into gateway.event_head (issuer, cursor) select distinct issuer, 0 from gateway.issuance_entry
    on conflict do nothing`,
  `create temporary table untold on commit drop as
    select entry.*, row_number() over (partition by entry.issuer order by entry.updated_at, index) as place
    from gateway.issuance_entry as entry
    where entry.status = 'ISSUED' and entry.outcome_source = 'SUBGRAPH' and entry.token_id is not null
      and not exists (
        select from gateway.event where event.issuer = entry.issuer and event.type = 'SRR_ISSUED'
          and (event.token_id = entry.token_id or event.external_id = entry.external_id))`,
  `insert into gateway.event (issuer, cursor, type, kind, source, dedupe, external_id, token_id,
      collection_address, raw, issuance_id, entry_index)
    select untold.issuer, head.cursor + untold.place, 'SRR_ISSUED', 'index', 'SUBGRAPH',
      'outcome:' || issuance_id || '/' || index || ':ISSUED', external_id, token_id, collection_address,
      jsonb_build_object('externalId', external_id, 'tokenId', token_id,
        'collectionContractAddress', collection_address), issuance_id, index
    from untold join gateway.event_head as head on head.issuer = untold.issuer`,
  `update gateway.event_head as head set cursor = head.cursor + told.count
    from (select issuer, count(*) from untold group by issuer) as told where told.issuer = head.issuer`,
  `create index issuance_batch_watched on gateway.issuance_batch (watch_until) where watch_until is not null`,
];
