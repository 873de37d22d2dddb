import { sql } from 'kysely';
import type { SourceChecks } from '../graphql/source-checks.ts';
import type { Db } from '../store/store.ts';
import type { Clients } from './clients.ts';
import type { AppOptions } from './options.ts';

/** How everything that stands behind the gateway is looked after. */
export function sourceChecks(
  { upstreams, database }: AppOptions,
  db: Db,
  { commerce, subgraph, ipfs }: Clients,
): SourceChecks {
  return [
    { kind: 'COMMERCE', name: host(upstreams.commerceUrl), check: (signal) => commerce.check(signal) },
    {
      kind: 'SUBGRAPH',
      name: host(upstreams.subgraphUrls[0] as string),
      check: (signal) => subgraph.check(signal),
    },
    { kind: 'IPFS', name: host(upstreams.ipfsGateways[0] as string), check: (signal) => ipfs.check(signal) },
    { kind: 'STORE', name: database.kind, check: () => storeHealth(db) },
  ];
}

export async function storeHealth(db: Db) {
  await sql`select 1`.execute(db);
  return { health: 'OK' as const };
}

const host = (url: string) => new URL(url).host;
