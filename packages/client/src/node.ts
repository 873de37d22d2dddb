import { type Client, type ClientOptions, clientOn } from './client.ts';
import { type NodeSource, node } from './platform-node.ts';

export type { NodeSource } from './platform-node.ts';
export * from './public.ts';

/** A client of one gateway, in Node. */
export const createClient = (options: ClientOptions): Client<NodeSource> => clientOn(node, options);
