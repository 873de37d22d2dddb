import { writeFileSync } from 'node:fs';
import { printSubgraphSchema } from '../src/graphql/schema/federation-sdl.ts';
import { printGatewaySchema, schema } from '../src/graphql/schema/schema.ts';
import { loadOperations } from '../src/operations/operations.ts';
import { restInterface } from '../src/rest/openapi.ts';
import { subgraphSchema } from './print-subgraph-schema.ts';

/** The committed schemas that code prints: where each lies, and what it should hold. */
export const printedSchemas: { path: URL; print: () => string }[] = [
  { path: new URL('../schema/gateway.graphql', import.meta.url), print: printGatewaySchema },
  {
    path: new URL('../schema/federation.graphql', import.meta.url),
    print: () => printSubgraphSchema(schema),
  },
  {
    path: new URL('../schema/openapi.json', import.meta.url),
    print: () => restInterface(schema, loadOperations(schema)).openApi,
  },
  subgraphSchema,
];

if (import.meta.main) for (const { path, print } of printedSchemas) writeFileSync(path, print());
