import { type Client, type ClientOptions, clientOn } from './client.ts';
import { type NodeSource, node } from './platform-node.ts';

export type { NodeSource } from './platform-node.ts';
export * from './public.ts';

/** Makes a client of a gateway, for Node. */
export const createClient = (options: ClientOptions): Client<NodeSource> => clientOn(node, options);
