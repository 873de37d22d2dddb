import { writeFileSync } from 'node:fs';
import { printSubgraphSchema } from '@srr-gateway/sandbox/subgraph-schema';

/** Path of the committed schema, and what it should hold: a stale check compares the two. */
export const subgraphSchema = {
  path: new URL('../schema/subgraph.graphql', import.meta.url),
  print: printSubgraphSchema,
};

if (import.meta.main) writeFileSync(subgraphSchema.path, subgraphSchema.print());
