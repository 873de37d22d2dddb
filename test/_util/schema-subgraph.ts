import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createLogger } from '@srr-gateway/common/log';
import { buildSchema, graphql } from 'graphql';
import { onTestFinished } from 'vitest';
import { createSubgraph, type SubgraphOptions } from '../../src/clients/subgraph/subgraph.ts';
import { type Received, reply } from './http-server.ts';

const silent = createLogger({ level: 'silent', name: 'test' });
const sdl = readFileSync(new URL('../../schema/subgraph.graphql', import.meta.url), 'utf8');
const schema = buildSchema(sdl);
export const olderSchema = buildSchema(sdl.replaceAll(/^ *originTxHash: .*$/gm, ''));
export const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;

/** The `where` and `first` with which provenance was read since the last client was made. */
export const windows: unknown[] = [];

export const user = (n: number) => ({
  id: address(n),
  walletAddress: address(n),
  threshold: 1,
  englishName: `User ${n}`,
  originalName: `User ${n}`,
  userType: 'artist',
  owners: [address(n + 1000)],
  salt: '0x00',
  originChain: null,
  createdAt: '1700000000000',
  createdAtStr: '',
  updatedAt: '1700000000000',
  updatedAtStr: '',
});
export const srr = (id: string) => ({
  id,
  tokenId: '1',
  collection: null,
  issuer: user(1),
  artist: user(2),
  createdAt: '1700000000000',
  updatedAt: '1700000000000',
  provenance: ({ first, where }: { first: number; where: unknown }) => {
    windows.push({ first, where });
    return [
      {
        id: `${id}-p`,
        timestamp: '1700000000000',
        from: address(1),
        to: address(2),
        metadataDigest: '',
        metadataURI: '',
      },
    ];
  },
  metadataHistory: [],
  history: [],
});

export type Operation = { query: string; variables: Record<string, unknown> };

/** Executes the operation against the real schema, like a subgraph at this block. */
export async function answer(
  request: Received,
  response: ServerResponse,
  { block = 7, known = /./, errors }: { block?: number; known?: RegExp; errors?: object[] } = {},
) {
  const { query, variables } = request.json<Operation>();
  const result = await graphql({
    schema,
    source: query,
    variableValues: variables,
    rootValue: {
      srrs: ({ where, first }: { where: { id_in: string[] }; first: number }) =>
        where.id_in
          .filter((id) => known.test(id))
          .slice(0, first)
          .map(srr),
      licensedUserWallets: ({ where }: { where: { id_in: string[] } }) =>
        where.id_in.map((id) => user(Number(id))),
      collections: () => [],
      _meta: ({ block: at }: { block?: { number?: number } }) => ({
        block: at?.number === undefined ? { number: block, hash: '0xab', timestamp: 1_700_000_000 } : at,
        deployment: 'Qm',
        hasIndexingErrors: false,
      }),
    },
  });
  reply(response, 200, { errors, ...result });
}

export const variablesOf = (request: Received | undefined) => request?.json<Operation>().variables ?? {};

/** A client of these endpoints, closed after the test. */
export function clientOf(endpoints: string[], options: Partial<SubgraphOptions> = {}) {
  windows.length = 0;
  const subgraph = createSubgraph({ endpoints, apiKey: 'key', log: silent, ...options });
  onTestFinished(() => subgraph.close());
  return subgraph;
}

/** Answers every request with this error. */
export const says = (message: string) => (_: Received, response: ServerResponse) =>
  reply(response, 200, { data: null, errors: [{ message }] });
