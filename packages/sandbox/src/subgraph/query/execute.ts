import { type DocumentNode, execute, GraphQLError, type GraphQLSchema, Kind, parse, validate } from 'graphql';
import { QueryError, queryErrors } from './errors.ts';
import type { QueryContext } from './resolvers.ts';

export interface QueryRequest {
  query: string;
  variables?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
}

/** The answer to a query: data, errors, or both. */
export interface QueryAnswer {
  data?: Record<string, unknown>;
  errors?: { message: string; locations?: readonly { line: number; column: number }[] }[];
}

/** Answers one query. Never throws: every fault becomes an answer with errors. */
export async function executeQuery(
  schema: GraphQLSchema,
  request: QueryRequest,
  context: QueryContext,
): Promise<QueryAnswer> {
  try {
    return await execution(schema, request, context);
  } catch (error) {
    // For example a query nested so deeply that parsing it overflows the stack.
    return { errors: [{ message: messageOf(error, context) }] };
  }
}

async function execution(
  schema: GraphQLSchema,
  request: QueryRequest,
  context: QueryContext,
): Promise<QueryAnswer> {
  let document: DocumentNode;
  try {
    document = parse(request.query);
  } catch (error) {
    if (error instanceof GraphQLError) return refused([error]);
    throw error;
  }
  const faults = validate(schema, document);
  if (faults.length > 0) return refused(faults);
  const result = await execute({
    schema,
    document,
    contextValue: context,
    variableValues: request.variables,
    operationName: request.operationName,
  });
  // A query fails as a whole: no partial data beside an error.
  if (result.errors)
    return { errors: result.errors.map((error) => ({ message: messageOf(error, context) })) };
  const data = { ...result.data };
  return context.hasIndexingErrors ? withIndexingError(data, document) : { data };
}

/**
 * Our own and GraphQL's errors go to the client. A database error
 * is only logged: it may contain the statement.
 */
function messageOf(error: unknown, { log }: QueryContext): string {
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  if (cause instanceof QueryError || cause instanceof GraphQLError) return cause.message;
  log.warn({ err: cause }, 'a query failed');
  return queryErrors.store().message;
}

function refused(errors: readonly GraphQLError[]): QueryAnswer {
  return {
    errors: errors.map(({ message, locations }) => ({ message, ...(locations && { locations }) })),
  };
}

/** Adds the error of a subgraph with indexing errors, and withholds its data unless the query allows them. */
function withIndexingError(data: Record<string, unknown>, document: DocumentNode): QueryAnswer {
  const keys = Object.keys(data);
  // Compare response keys, as graph-node does: an aliased `_meta` is withheld too.
  const kept = keys.filter((key) => ['_meta', '__schema', '__type'].includes(key));
  if (keys.every((key) => key === '_meta')) return { data };
  const errors = [{ message: queryErrors.indexing().message }];
  if (allowsErrors(document)) return { data, errors };
  if (kept.length === 0) return { errors };
  return { data: Object.fromEntries(kept.map((key) => [key, data[key]])), errors };
}

function allowsErrors(document: DocumentNode): boolean {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  return (operation?.selectionSet.selections ?? []).some(
    (field) =>
      field.kind === Kind.FIELD &&
      field.arguments?.some(
        ({ name, value }) =>
          name.value === 'subgraphError' && value.kind === Kind.ENUM && value.value === 'allow',
      ),
  );
}
