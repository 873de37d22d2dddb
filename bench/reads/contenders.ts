import { createLoad, type Load } from './load.ts';
import type { Query } from './queries.ts';
import { type Server, startGateway, startHandwritten, startPeer } from './servers.ts';

/** One way of answering the queries. */
export interface Contender {
  name: string;
  server: Server;
  load: Load;
  /** Whether each of its requests asks what nobody has asked before, at a block that has moved. */
  cold: boolean;
  /** The body of a request. */
  ask(query: Query, n: number): string;
  /** Its answer in the shape of the gateway's. */
  read(query: Query, data: unknown): unknown;
}

export interface Contenders {
  /** The first is the limit that the others are compared with. */
  all: Contender[];
  /** Who could not be started, and why. */
  missing: { name: string; why: string }[];
  stop(): Promise<void>;
}

/** Enough that the one that is measured never waits for the load. */
const connections = 8;

const alike: Pick<Contender, 'ask' | 'read'> = {
  ask: ({ text, variables }, n) => JSON.stringify({ query: text, variables: variables(n) }),
  read: (_query, data) => data,
};
const composed: Pick<Contender, 'ask' | 'read'> = {
  ask: ({ composed: { text, variables } }, n) => JSON.stringify({ query: text, variables: variables(n) }),
  read: ({ composed: { reshape } }, data) => reshape(data as Parameters<typeof reshape>[0]),
};

export async function startContenders(sources: Server, options: { peers: boolean }): Promise<Contenders> {
  const running = new AsyncDisposableStack();
  const add = async (starting: Promise<Server>): Promise<{ server: Server; load: Load }> => {
    const server = await starting;
    running.defer(() => server.stop());
    const load = createLoad(server.url, '/graphql', connections);
    running.defer(() => load.close());
    return { server, load };
  };
  const missing: Contenders['missing'] = [];
  const peer = async (name: 'mercurius' | 'hive', title: string, speaks: Pick<Contender, 'ask' | 'read'>) => {
    if (!options.peers) return [];
    try {
      return [{ name: title, ...(await add(startPeer(name, sources))), cold: true, ...speaks }];
    } catch (error) {
      missing.push({ name: title, why: (error as Error).message });
      return [];
    }
  };
  try {
    const handwritten = await add(startHandwritten(sources));
    const gateway = await add(startGateway(sources));
    const all = [
      { name: 'written by hand', ...handwritten, cold: true, ...alike },
      { name: 'srr-gateway, block moves', ...gateway, cold: true, ...alike },
      { name: 'srr-gateway, block stands', ...gateway, cold: false, ...alike },
      ...(await peer('mercurius', 'Mercurius, JIT', alike)),
      ...(await peer('hive', 'Hive Gateway', composed)),
    ];
    return { all, missing, stop: () => running.disposeAsync() };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
