import { writeFileSync } from 'node:fs';
import { printGatewaySchema } from '../src/graphql/schema/schema.ts';
import { subgraphSchema } from './print-subgraph-schema.ts';

/** The committed schemas that code prints: where each lies, and what it should hold. */
export const printedSchemas: { path: URL; print: () => string }[] = [
  { path: new URL('../schema/gateway.graphql', import.meta.url), print: printGatewaySchema },
  subgraphSchema,
];

if (import.meta.main) for (const { path, print } of printedSchemas) writeFileSync(path, print());
