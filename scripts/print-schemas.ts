import { writeFileSync } from 'node:fs';
import { printSubgraphSchema } from '../src/graphql/schema/federation-sdl.ts';
import { printGatewaySchema, schema } from '../src/graphql/schema/schema.ts';
import { solvedBy } from '../src/model/error-codes.ts';
import { loadOperations } from '../src/operations/operations.ts';
import { restInterface } from '../src/rest/openapi.ts';
import { cliEvents, clientDocument } from './print-event-documents.ts';
import { subgraphSchema } from './print-subgraph-schema.ts';

/** The committed files that code prints, schemas and documents mostly: where each lies, and what it should hold. */
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
  {
    path: new URL('../packages/client/src/operations/events.graphql', import.meta.url),
    print: clientDocument,
  },
  { path: new URL('../packages/cli/src/generated/events.ts', import.meta.url), print: cliEvents },
  subgraphSchema,
  // The gallery imports nothing of the gateway.
  { path: new URL('../examples/gallery/src/gql/solved-by.ts', import.meta.url), print: printSolvedBy },
];

function printSolvedBy(): string {
  const type = [...new Set(Object.values(solvedBy))].map((by) => JSON.stringify(by)).join(' | ');
  return `// Made from src/model/error-codes.ts by \`npm run codegen\`.

import type { ErrorCode } from './graphql.ts';

/** What solves an error that another value of the input does not solve. */
export const solvedBy: Partial<Record<ErrorCode, ${type}>> = ${JSON.stringify(solvedBy, null, 2)};
`;
}

if (import.meta.main) for (const { path, print } of printedSchemas) writeFileSync(path, print());
