import { anonymousCaller, callerWithToken, guardedEnv } from './callers.ts';
import { createLoad, type Load } from './load.ts';
import type { Query } from './queries.ts';
import { type Server, startGateway, startHandwritten, startPeer } from './servers.ts';

/** A server that answers the queries, or one way of calling it. */
export interface Contender {
  name: string;
  server: Server;
  load: Load;
  /** Whether each of its requests is a new query at a new block. */
  cold: boolean;
  /** The body of a request. */
  ask(query: Query, n: number): string;
  /** Its response in the shape of the gateway's. */
  read(query: Query, data: unknown): unknown;
}

export interface Contenders {
  /** The first is the baseline that the others are compared with. */
  all: Contender[];
  /** The contenders that could not be started, and why. */
  missing: { name: string; why: string }[];
  stop(): Promise<void>;
}

type Speech = Pick<Contender, 'ask' | 'read'>;

const alike: Speech = {
  ask: ({ text, variables }, n) => JSON.stringify({ query: text, variables: variables(n) }),
  read: (_query, data) => data,
};
const composed: Speech = {
  ask: ({ composed: { text, variables } }, n) => JSON.stringify({ query: text, variables: variables(n) }),
  read: ({ composed: { reshape } }, data) => reshape(data as Parameters<typeof reshape>[0]),
};

type Started = Pick<Contender, 'server' | 'load'> & Speech;

/** The callers of a contender. With more callers it waits less, and more of them send requests at once. */
interface Callers {
  connections?: number;
  headers?: Record<string, string>;
}
export const defaultConnections = 8;

/** A server with the gateway's schema, and its load; both end with `running`. */
export async function startContender(
  running: AsyncDisposableStack,
  starting: Promise<Server>,
  { connections = defaultConnections, headers = {} }: Callers = {},
): Promise<Started> {
  const server = await starting;
  running.defer(() => server.stop());
  const load = createLoad(server.url, '/graphql', connections, headers);
  running.defer(() => load.close());
  return { server, load, ...alike };
}

export async function startContenders(
  sources: Server,
  { peers, connections = defaultConnections }: { peers: boolean; connections?: number },
): Promise<Contenders> {
  const running = new AsyncDisposableStack();
  const missing: Contenders['missing'] = [];
  const peer = async (name: 'mercurius' | 'hive', title: string, speaks: Speech = alike) => {
    if (!peers) return [];
    try {
      return [
        {
          name: title,
          ...(await startContender(running, startPeer(name, sources), { connections })),
          ...speaks,
          cold: true,
        },
      ];
    } catch (error) {
      missing.push({ name: title, why: (error as Error).message });
      return [];
    }
  };
  try {
    const handwritten = await startContender(running, startHandwritten(sources), { connections });
    const gateway = await startContender(running, startGateway(sources, { env: guardedEnv }), {
      connections,
      headers: anonymousCaller,
    });
    const load = createLoad(gateway.server.url, '/graphql', connections, callerWithToken);
    running.defer(() => load.close());
    const all = [
      { name: 'written by hand', ...handwritten, cold: true },
      { name: 'srr-gateway, new query', ...gateway, cold: true },
      { name: 'srr-gateway with a token', ...gateway, load, cold: true },
      { name: 'srr-gateway, asked before', ...gateway, cold: false },
      ...(await peer('mercurius', 'Mercurius, JIT')),
      ...(await peer('hive', 'Hive Gateway', composed)),
    ];
    return { all, missing, stop: () => running.disposeAsync() };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
