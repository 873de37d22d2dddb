import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { ConfiguredEndpoint, Issuer } from '../config/config.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/tables.ts';
import { idOf } from './deliveries.ts';

/**
 * Gives each endpoint of an issuer's configuration its row, which holds its place in the log, and removes those
 * that left the configuration.
 */
export async function syncConfigured(db: Db, { address, webhookEndpoints = [] }: Issuer): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const cursor = await lockLog(trx, address);
    for (const { url, types = null, description = null } of webhookEndpoints)
      await trx
        .insertInto('webhook_endpoint')
        .values({
          id: idOf(address, url),
          issuer: address,
          url,
          types,
          description,
          configured: true,
          sealed_secret: null,
          cursor,
        })
        .onConflict((conflict) =>
          conflict.columns(['issuer', 'url']).doUpdateSet({ types, description, configured: true }),
        )
        .execute();
    await trx
      .deleteFrom('webhook_endpoint')
      .where('issuer', '=', address)
      .where('configured', '=', true)
      .where(sql<boolean>`url <> all(${webhookEndpoints.map(({ url }) => url)}::text[])`)
      .execute();
  });
}

/** The endpoints of this replica's configuration, found by issuer and address. */
export class ConfiguredEndpoints {
  #all = new Map<string, ConfiguredEndpoint>();

  replace(issuers: readonly Issuer[]): void {
    this.#all = new Map(
      issuers.flatMap(({ address, webhookEndpoints = [] }) =>
        webhookEndpoints.map((endpoint) => [`${address} ${endpoint.url}`, endpoint] as const),
      ),
    );
  }

  of({ issuer, url }: { issuer: Address; url: string }): ConfiguredEndpoint | undefined {
    return this.#all.get(`${issuer} ${url}`);
  }
}
