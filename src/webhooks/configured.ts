import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { ConfiguredEndpoint, Issuer } from '../config/config.ts';
import { ago, now } from '../store/database-time.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/tables.ts';
import { failUnwanted, idOf } from './deliveries.ts';
import { listEndpoints } from './endpoints.ts';

/** Replicas whose configurations differ, as while they are replaced one by one, have no longer to become alike. */
const keepMs = 86_400_000;

/** The endpoints of this replica's configuration, found by issuer and address. */
export class ConfiguredEndpoints {
  #all = new Map<string, ConfiguredEndpoint>();
  /** Those that it had since the start, too. */
  readonly #known = new Set<string>();

  replace(issuers: readonly Issuer[]): void {
    this.#all = new Map(
      issuers.flatMap(({ address, webhookEndpoints = [] }) =>
        webhookEndpoints.map((endpoint) => [`${address} ${endpoint.url}`, endpoint] as const),
      ),
    );
    for (const key of this.#all.keys()) this.#known.add(key);
  }

  /** The endpoint of the configuration with the issuer and address of this row. */
  of({ issuer, url }: { issuer: Address; url: string }): ConfiguredEndpoint | undefined {
    return this.#all.get(`${issuer} ${url}`);
  }

  /** Whether it left the configuration while this replica ran. */
  lost(row: { issuer: Address; url: string }): boolean {
    return this.#known.has(`${row.issuer} ${row.url}`) && !this.of(row);
  }
}

/** Gives each endpoint of an issuer's configuration its row, which holds its place in the log. */
export async function storeConfigured(db: Db, { address, webhookEndpoints = [] }: Issuer): Promise<void> {
  if (webhookEndpoints.length === 0) return;
  await db.transaction().execute(async (trx) => {
    const cursor = await lockLog(trx, address);
    const before = new Map((await listEndpoints(trx, address)).map((row) => [row.url, row]));
    for (const { url, types = null, description = null } of webhookEndpoints) {
      await trx
        .insertInto('webhook_endpoint')
        .values({
          id: idOf(address, url),
          issuer: address,
          url,
          types,
          description,
          configured: true,
          configured_at: now,
          sealed_secret: null,
          cursor,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['issuer', 'url'])
            .doUpdateSet({ types, description, configured: true, configured_at: now }),
        )
        .execute();
      const known = before.get(url);
      if (known && types && String(known.types) !== String(types)) await failUnwanted(trx, known.id, types);
    }
  });
}

/**
 * Removes endpoints that left the configuration. One that this replica never had may be new in the configuration of
 * the others: it goes when none of them has had it for long, or when there are no others. One that its issuer had
 * made before is the issuer's again.
 */
export async function dropUnconfigured(
  db: Db,
  configured: ConfiguredEndpoints,
  alone: boolean,
): Promise<void> {
  const rows = await db
    .selectFrom('webhook_endpoint')
    .select([
      'id',
      'issuer',
      'url',
      sql<boolean>`configured_at < ${ago(keepMs)}`.as('old'),
      // The configuration stores no secret.
      sql<boolean>`sealed_secret is not null`.as('ofIssuer'),
    ])
    .where('configured', '=', true)
    .execute();
  for (const row of rows) {
    if (configured.of(row) || !(alone || row.old || configured.lost(row))) continue;
    const own = { configured: false, configured_at: null };
    if (row.ofIssuer) await db.updateTable('webhook_endpoint').set(own).where('id', '=', row.id).execute();
    else await db.deleteFrom('webhook_endpoint').where('id', '=', row.id).execute();
  }
}
