import { globSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which tests a change of a room needs. The unit tests stand in the room's folders; tests of behaviour are named
 * here without `.test.ts`, those outside `test/` by their path.
 */
interface Room {
  folders: string[];
  /** Together under a minute on two idle cores. Without a room, the first of each room runs. */
  quick: string[];
  /** Kill processes, wait for real time-outs or send thousands of requests. They win over the folders. */
  wider?: string[];
}

const inSandbox = (...names: string[]) => names.map((name) => `packages/sandbox/test/${name}`);

export const rooms: Record<string, Room> = {
  access: {
    folders: ['src/access'],
    quick: [
      'access-matrix',
      'passthrough-keys',
      'secret-leaks',
      'rate-windows',
      'tokens-command',
      'typed-errors-uploads',
    ],
    wider: ['isolation'],
  },
  app: {
    folders: ['src/app', 'src/commands', 'src/start'],
    quick: ['clients', 'logs'],
    wider: [
      'crash/checkpoints',
      'live-service',
      'restart',
      'start-memory',
      'stop',
      'unhandled-rejection',
      'wrong-configuration',
    ],
  },
  catalog: {
    folders: ['src/catalog'],
    quick: [
      'catalog',
      'cached-reads',
      'filters',
      'long-scrolls',
      'metadata-documents',
      'request-counts',
      'shared-reads',
      'source-down',
    ],
    wider: ['pagination-ties', 'misbehaving-ipfs-gateway', 'misbehaving-subgraph'],
  },
  cli: {
    folders: ['packages/cli', 'test/cli'],
    quick: ['cli/completion', 'cli/listen', 'cli/reads', 'cli/readme'],
    wider: ['cli/endpoints', 'cli/issue', 'cli/issue-kills', 'cli/issue-speed', 'cli/settings'],
  },
  client: {
    folders: ['packages/client', 'test/client'],
    quick: ['client/client', 'client/faults', 'client/guide', 'client/package', 'client/readme'],
    wider: ['client/follow', 'client/import-csv'],
  },
  clients: {
    folders: ['src/clients'],
    quick: [
      'schema-fetch',
      'unrecognized-delivery',
      'other-service',
      'other-service-calls',
      'other-service-outcomes',
      'ssrf',
      'subgraph-versions',
    ],
    wider: ['other-service-features', 'cdn', 'service-variants'],
  },
  common: { folders: ['packages/common'], quick: ['packages/common/src/database/database'] },
  config: { folders: ['src/config'], quick: ['issuers-file', 'env-example'], wider: ['configuration'] },
  deploy: { folders: ['test/deploy'], quick: [] },
  docs: {
    folders: [],
    quick: ['readme', '_util/load-balancer', 'architecture', 'client-guide', 'licences', 'rooms', 'walls'],
    wider: ['bench-events', 'bench-flow', 'bench-reads', 'bench-scale', 'demo'],
  },
  events: {
    folders: ['src/events'],
    quick: [
      'webhook-receiver',
      'event-feeds',
      'event-records',
      'event-retention',
      'early-refusals',
      'shared-webhook-key',
      'start-of-log',
      'subscriptions',
    ],
    wider: ['delivery-orders', 'event-streams', 'replay', 'resume', 'storm'],
  },
  graphql: {
    folders: ['src/graphql'],
    quick: [
      'graphql-over-http',
      'client-caches',
      'client-queries',
      'federation',
      'input-paths',
      'response-cache',
      'partial-answers',
      'prepared-equality',
      'prepared-isolation',
      'shared-answers',
      'sockets',
      'trusted-documents',
    ],
    wider: ['bad-input', 'fuzz', 'prepared-operations', 'query-attacks', 'single-connection'],
  },
  issuance: {
    folders: ['src/issuance'],
    quick: [
      'issue-flow',
      'collection-races',
      'removed-issuer',
      'entries-by-reference',
      'issuance-statements',
      'issuance-subscription',
      'preflight',
      'refusal-paths',
      'api-key-replacement',
      'dry-run',
    ],
    wider: [
      'service-retry-after',
      'back-pressure',
      'outcome-model',
      'issuance-steps',
      'lost-records',
      'refused-requests',
      'repeated-requests',
      'reported-outcomes',
      'chain-watch',
      'collection-flow',
      'delivery-edge-cases',
      'large-batches',
      'lost-answer',
      'one-record-one-entry',
      'outcomes',
      'preflight-agrees',
      'two-replicas',
      'inconclusive-refusal',
      'watch-failed',
    ],
  },
  lib: { folders: ['src/lib', 'src/model'], quick: [] },
  mcp: { folders: ['src/mcp'], quick: ['mcp', 'mcp-limits'] },
  observability: { folders: ['src/observability'], quick: ['observability', 'gauges'], wider: ['traces'] },
  operations: { folders: ['src/operations'], quick: [] },
  rest: { folders: ['src/rest'], quick: ['rest', 'rest-problems', 'http-guide'], wider: ['base-path'] },
  sandbox: {
    folders: ['packages/sandbox/src'],
    quick: inSandbox(
      'issue',
      'delivery-shapes',
      'docs',
      'ipfs-gateway',
      'reads',
      'refusal-webhooks',
      'refused-requests',
      'storage',
      'transfers',
      'webhooks',
    ),
    wider: [
      ...inSandbox(
        'faults',
        'faults-reads',
        'fixtures',
        'graph-node',
        'kill',
        'malformed',
        'provisioned-files',
      ),
      ...inSandbox(
        'refused-bodies',
        'refused-entries',
        'request-schemas',
        'restart',
        'rows/rows',
        'exclusive-lock',
        'long-lists',
        'lost-commit',
      ),
      ...inSandbox('volume'),
      'sandbox-readme',
      'packages/sandbox/src/chain/recovery',
    ],
  },
  pictures: { folders: ['src/pictures'], quick: ['pictures'] },
  server: {
    folders: ['src/server'],
    quick: ['browser-security', 'caller-limits', 'cost', 'http-behaviour', 'request-ids'],
    wider: ['flood'],
  },
  store: {
    folders: ['src/store', 'test/store'],
    quick: ['retention'],
    wider: ['behind-pgbouncer', 'idle-connections', 'store/signal-servers', 'upgrade-with-open-work'],
  },
  webhooks: {
    folders: ['src/webhooks'],
    quick: [
      'webhook-deliveries',
      'webhook-endpoints',
      'webhook-updates',
      'webhook-races',
      'webhook-wake-all',
      'partners-guide',
    ],
    wider: ['webhook-kills'],
  },
  uploads: {
    folders: ['src/uploads'],
    quick: ['uploads', 'typed-errors-files'],
    wider: ['wait-for-files', 'upload-memory', 'upload-races'],
  },
};

const project = join(import.meta.dirname, '..');

const pathOf = (name: string) => `${name.includes('packages/') ? name : `test/${name}`}.test.ts`;

/** The test files of a room, by their paths in the project. */
export function testsOf({ folders, quick, wider = [] }: Room): { quick: string[]; wider: string[] } {
  const left = wider.map(pathOf);
  const units = folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: project })).sort();
  return {
    quick: [...new Set([...quick.map(pathOf), ...units.filter((path) => !left.includes(path))])],
    wider: left,
  };
}
