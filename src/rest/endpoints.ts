import type { GraphQLSchema } from 'graphql';
import type { JsonSchemas } from '../operations/json-schema.ts';
import type { Operation } from '../operations/operations.ts';
import { resultShape, type Shape } from '../operations/result-shape.ts';
import { type Variable, variablesOf } from '../operations/variables.ts';

/** One route, and the document that it runs. Each variable of the document is a parameter, or a member of the body. */
interface Row {
  method: 'GET' | 'POST';
  /** Its last part may be a variable: `/records/{tokenId}`. */
  path: string;
  operation: string;
  /** The path of the answer within the result. */
  at: readonly string[];
  /** The field of the paged list (empty: the answer itself), and the variable that takes its cursor. */
  paged?: { list: string; after: string };
  /** Where the answer to a POST can be read again: a path, and the member of the answer that ends it. */
  location?: { path: string; member: string };
  /** Whether it needs credentials. */
  isPrivate?: true;
  /** Advice when nothing is found. */
  whenMissing?: string;
  /** The statuses of its problems, besides those that every route may have. */
  problems: readonly number[];
}

const rows: readonly Row[] = [
  {
    method: 'GET',
    path: '/records',
    operation: 'ListRecords',
    at: ['srrs'],
    paged: { list: '', after: 'after' },
    problems: [400, 410],
  },
  {
    method: 'GET',
    path: '/records/{tokenId}',
    operation: 'GetRecord',
    at: ['srr'],
    paged: { list: 'provenance', after: 'transfersAfter' },
    whenMissing:
      'A record in a collection needs the parameter collection. A new record appears after some seconds.',
    problems: [400, 404, 410],
  },
  {
    method: 'POST',
    path: '/issuances',
    operation: 'IssueRecords',
    at: ['issueSRRs', 'issuance'],
    location: { path: '/issuances', member: 'requestId' },
    isPrivate: true,
    problems: [400, 401, 403, 409, 413, 415, 422],
  },
  {
    method: 'GET',
    path: '/issuances/{requestId}',
    operation: 'GetIssuance',
    at: ['issuance'],
    paged: { list: 'entries', after: 'after' },
    whenMissing: 'Use the credentials of the issuer that issued it.',
    isPrivate: true,
    problems: [400, 401, 403, 404],
  },
];

/** A row with its document, its parameters and the shape of its answer. */
export interface Endpoint extends Omit<Row, 'operation'> {
  operation: Operation;
  variables: readonly Variable[];
  inPath: Variable | undefined;
  shape: Shape;
}

/** Reads the table. @throws Error when it names something that the documents do not have. */
export function endpointsOf(
  schema: GraphQLSchema,
  operations: ReadonlyMap<string, Operation>,
  schemas: JsonSchemas,
): Endpoint[] {
  return rows.map((row) => {
    const operation = operations.get(row.operation);
    if (!operation)
      throw new Error(`${row.path} names the operation ${row.operation}, which does not exist.`);
    const variables = variablesOf(schema, operation);
    const [, pathVariable] = /\{(\w+)\}$/.exec(row.path) ?? [];
    const inPath = variables.find(({ name }) => name === pathVariable);
    if (pathVariable !== undefined && !inPath)
      throw new Error(`${operation.name} has no variable ${pathVariable}.`);
    const shape = resultShape(schema, operation, row.at, schemas);
    return { ...row, operation, variables, inPath, shape };
  });
}
