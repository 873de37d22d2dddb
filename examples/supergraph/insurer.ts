import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

// A partner's subgraph: the policies of an insurer. It has only the keys of records.

export const typeDefs = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])

  type Query {
    "The records of these token ids, all in one collection or all in the registry."
    insured(tokenIds: [TokenId!]!, collection: Address): [SRR!]!
  }
  type SRR @key(fields: "tokenId collection { address }") {
    tokenId: TokenId!
    collection: Collection
    insurance: Insurance!
  }
  type Collection @key(fields: "address", resolvable: false) {
    address: Address!
  }
  type Insurance {
    policy: String!
    "In euros."
    sum: Int!
  }
  scalar Address
  scalar TokenId
`;

type RecordKey = { tokenId: string; collection: { address: string } | null };

const resolvers = {
  Query: {
    insured: (_: unknown, { tokenIds, collection }: { tokenIds: string[]; collection?: string }) =>
      tokenIds.map((tokenId) => ({ tokenId, collection: collection ? { address: collection } : null })),
  },
  SRR: {
    __resolveReference: (key: RecordKey) => key,
    insurance: ({ tokenId }: RecordKey) => ({
      policy: `P-${tokenId}`,
      sum: 1_000 * (1 + Number(BigInt(tokenId) % 100n)),
    }),
  },
};

/** Starts the insurer's subgraph on a free port of this machine. */
export async function startInsurer(): Promise<string> {
  const schema = buildSubgraphSchema([{ typeDefs: parse(typeDefs), resolvers }]);
  const server = createServer(createYoga({ schema, logging: false }));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}
