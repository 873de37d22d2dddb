import { sql } from 'kysely';
import type { Health, SourceCheck } from '../clients/health.ts';
import { isMigrated } from '../store/migrate.ts';
import type { Db } from '../store/store.ts';
import type { Clients } from './clients.ts';
import type { ConfigFindings, ConfiguredNames } from './configured-names.ts';
import type { AppOptions } from './options.ts';

/** Health checks of the upstreams and the database, for the field `sources`. */
export function sourceChecks(
  { upstreams, database }: AppOptions,
  db: Db,
  { commerce, subgraph, ipfs }: Clients,
  names: ConfiguredNames | undefined,
): SourceCheck[] {
  const withFindings =
    (kind: keyof ConfigFindings, check: (signal: AbortSignal) => Promise<Health>) =>
    async (signal: AbortSignal) => {
      const [health, findings] = await Promise.all([check(signal), names?.findings(signal)]);
      return withFinding(health, findings?.[kind]);
    };
  return [
    {
      kind: 'COMMERCE',
      name: host(upstreams.commerceUrl),
      check: withFindings('COMMERCE', (signal) => commerce.check(signal)),
    },
    {
      kind: 'SUBGRAPH',
      name: host(upstreams.subgraphUrls[0] as string),
      check: withFindings('SUBGRAPH', (signal) => subgraph.check(signal)),
    },
    {
      kind: 'IPFS',
      name: host(upstreams.ipfsGateways[0] as string),
      check: withFindings('IPFS', (signal) => ipfs.check(signal)),
    },
    { kind: 'STORE', name: database.kind, check: () => storeHealth(db) },
  ];
}

/** Adds a finding about configured names: with a wrong name a source that answers is DEGRADED. */
function withFinding(health: Health, finding: string | undefined): Health {
  if (finding === undefined || health.health === 'DOWN') return health;
  const message = [health.message, finding].filter(Boolean).join(' ');
  return { ...health, health: 'DEGRADED', message };
}

/**
 * Whether the database answers and takes writes. A standby, or a managed server whose disk is full, only answers.
 * @throws when it does not answer.
 */
async function storeHealth(db: Db): Promise<Health> {
  const { rows } = await sql<{ reads: boolean }>`
    select current_setting('transaction_read_only')::boolean as reads`.execute(db);
  return rows[0]?.reads ? { health: 'DEGRADED', message: 'The database takes no writes.' } : { health: 'OK' };
}

/** The database's checks for `/health/ready`. */
export const storeReadiness = (db: Db) => ({
  store: async () => (await storeHealth(db)).health === 'OK',
  migrations: () => isMigrated(db),
});

const host = (url: string) => new URL(url).host;
