import type { Address } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import { sql } from 'kysely';
import type { ConfiguredEndpoint, Issuer } from '../config/config.ts';
import { ago, now } from '../store/database-time.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/tables.ts';
import { failUnwanted, uuidOf } from './deliveries.ts';
import { listEndpoints } from './endpoints.ts';

/** Replicas must reach the same configuration within this time, for example when they are replaced one by one. */
const keepMs = 86_400_000;

/** The endpoints of this replica's configuration, found by issuer and address. */
export class ConfiguredEndpoints {
  #all = new Map<string, ConfiguredEndpoint>();
  /** The keys of all endpoints that the configuration has had since the start. */
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

  /** Whether the endpoint left the configuration while this replica ran. */
  hasLost(row: { issuer: Address; url: string }): boolean {
    return this.#known.has(`${row.issuer} ${row.url}`) && !this.of(row);
  }
}

/** Stores a row for each endpoint of an issuer's configuration. The row holds the endpoint's position in the log. */
export async function storeConfigured(db: Db, { address, webhookEndpoints = [] }: Issuer): Promise<void> {
  if (webhookEndpoints.length === 0) return;
  await db.transaction().execute(async (trx) => {
    const cursor = await lockLog(trx, address);
    const before = new Map((await listEndpoints(trx, address)).map((row) => [row.url, row]));
    for (const { url, types = null, description = null } of webhookEndpoints) {
      await trx
        .insertInto('webhook_endpoint')
        .values({
          id: uuidOf(address, url),
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
 * Removes endpoints that left the configuration. An endpoint that this replica never had may be new in that of other
 * replicas, so it goes only when none has had it for `keepMs`, or when there are no others. An endpoint that its
 * issuer had created before it was configured belongs to the issuer again.
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
      sql<boolean>`configured_at < ${ago(keepMs)}`.as('expired'),
      // Only an endpoint that its issuer created has a stored secret.
      sql<boolean>`sealed_secret is not null`.as('createdByIssuer'),
    ])
    .where('configured', '=', true)
    .execute();
  for (const row of rows) {
    if (configured.of(row) || !(alone || row.expired || configured.hasLost(row))) continue;
    const changes = { configured: false, configured_at: null };
    if (row.createdByIssuer)
      await db.updateTable('webhook_endpoint').set(changes).where('id', '=', row.id).execute();
    else await db.deleteFrom('webhook_endpoint').where('id', '=', row.id).execute();
  }
}

/** Warns of endpoints that get nothing where no private network is allowed. They are not challenged, as others are. */
export function warnOfRefused(issuers: readonly Issuer[], log: Logger): void {
  for (const { address, webhookEndpoints = [] } of issuers)
    for (const { protocol, host, port } of webhookEndpoints.map(({ url }) => new URL(url)))
      if (protocol !== 'https:' || port !== '')
        log.warn(
          `ISSUERS: the webhook endpoint ${protocol}//${host} of ${address} gets nothing. It must be https at port 443, or its network must be in ALLOW_PRIVATE_WEBHOOKS.`,
        );
}
