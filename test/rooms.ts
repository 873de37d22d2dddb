import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Which tests a change of a room needs: those in `src/<room>` and `test/<room>`, and in the folders named here. */
interface Room {
  folders?: string[];
  /** The test that runs when no room is named. Absent: the first one of the folders. */
  first?: string;
  /**
   * Left out of `test:quick`, which takes under a minute for one room on two idle cores: these kill processes, wait
   * for real time-outs or send thousands of requests.
   */
  wider?: string[];
}

const within = (folder: string, ...names: string[]) => names.map((name) => `${folder}/${name}`);

/** Tests are named by their paths without `.test.ts`. */
export const rooms: Record<string, Room> = {
  access: { first: 'test/access/access-matrix', wider: ['test/access/isolation'] },
  app: {
    folders: ['src/commands', 'src/start', 'test/crash'],
    first: 'test/app/clients',
    wider: [
      ...within('test/app', 'live-service', 'restart', 'start-memory', 'stop', 'unhandled-rejection'),
      'test/app/wrong-configuration',
      'test/crash/checkpoints',
    ],
  },
  catalog: {
    first: 'test/catalog/catalog',
    wider: within('test/catalog', 'pagination-ties', 'misbehaving-ipfs-gateway', 'misbehaving-subgraph'),
  },
  cli: {
    folders: ['packages/cli'],
    first: 'test/cli/completion',
    wider: within('test/cli', 'endpoints', 'issue', 'issue-kills', 'issue-speed', 'settings'),
  },
  client: {
    folders: ['packages/client'],
    first: 'test/client/client',
    wider: within('test/client', 'follow', 'import-csv'),
  },
  clients: {
    first: 'test/clients/schema-fetch',
    wider: within('test/clients', 'other-service-features', 'cdn', 'service-variants'),
  },
  common: { folders: ['packages/common'], first: 'packages/common/src/database/database' },
  config: { first: 'test/config/issuers-file', wider: ['test/config/configuration'] },
  deploy: {},
  docs: {
    folders: ['test/_util', 'test/bench'],
    first: 'test/docs/readme',
    wider: [
      ...within('test/bench', 'bench-events', 'bench-flow', 'bench-reads', 'bench-scale'),
      ...within('test/docs', 'demo', 'sandbox-readme'),
    ],
  },
  events: {
    first: 'test/events/webhook-receiver',
    wider: within('test/events', 'delivery-orders', 'event-streams', 'replay', 'resume', 'storm'),
  },
  graphql: {
    first: 'test/graphql/graphql-over-http',
    wider: within(
      'test/graphql',
      ...['bad-input', 'fuzz', 'prepared-operations', 'query-attacks', 'single-connection'],
    ),
  },
  issuance: {
    first: 'test/issuance/issue-flow',
    wider: within(
      'test/issuance',
      ...['back-pressure', 'chain-watch', 'collection-flow', 'delivery-edge-cases', 'inconclusive-refusal'],
      ...['issuance-steps', 'large-batches', 'lost-answer', 'lost-records', 'one-record-one-entry'],
      ...['outcome-model', 'outcomes', 'preflight-agrees', 'refused-requests', 'repeated-requests'],
      ...['reported-outcomes', 'service-retry-after', 'two-replicas', 'watch-failed'],
    ),
  },
  lib: { folders: ['src/model'] },
  mcp: { first: 'test/mcp/mcp' },
  observability: { first: 'test/observability/observability', wider: ['test/observability/traces'] },
  operations: {},
  pictures: { first: 'test/pictures/pictures' },
  rest: { first: 'test/rest/rest', wider: ['test/rest/base-path'] },
  sandbox: {
    folders: ['packages/sandbox'],
    first: 'packages/sandbox/test/issue',
    wider: [
      ...within(
        'packages/sandbox/test',
        ...['exclusive-lock', 'faults', 'faults-reads', 'fixtures', 'graph-node', 'kill', 'long-lists'],
        ...['lost-commit', 'malformed', 'provisioned-files', 'refused-bodies', 'refused-entries'],
        ...['request-schemas', 'restart', 'rows/rows', 'volume'],
      ),
      'packages/sandbox/src/chain/recovery',
    ],
  },
  server: { first: 'test/server/browser-security', wider: ['test/server/flood'] },
  store: {
    first: 'test/store/retention',
    wider: within(
      'test/store',
      ...['behind-pgbouncer', 'idle-connections', 'signal-servers', 'upgrade-with-open-work'],
    ),
  },
  uploads: {
    first: 'test/uploads/uploads',
    wider: within('test/uploads', 'upload-memory', 'upload-races', 'wait-for-files'),
  },
  webhooks: { first: 'test/webhooks/webhook-deliveries', wider: ['test/webhooks/webhook-kills'] },
};

const project = join(import.meta.dirname, '..');

export const foldersOf = (name: string): string[] => [
  `src/${name}`,
  `test/${name}`,
  ...(rooms[name]?.folders ?? []),
];

/** Tests in a browser have a script of their own, and those of packages are not ours. */
const exclude = ['**/browser/**', '**/node_modules/**'];

/** The test files of a room, by their paths in the project; of the quick ones the room's first comes first. */
export function testsOf(name: string): { quick: string[]; wider: string[] } {
  const { first, wider = [] } = rooms[name] ?? {};
  const paths = foldersOf(name).flatMap((folder) =>
    globSync(`${folder}/**/*.test.ts`, { cwd: project, exclude }),
  );
  const left = wider.map((path) => `${path}.test.ts`);
  const quick = paths.filter((path) => !left.includes(path)).sort();
  return { quick: first ? [...new Set([`${first}.test.ts`, ...quick])] : quick, wider: left };
}
