import { type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
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
  return context.hasIndexingErrors ? withIndexingErrors(data, context.rootFields) : { data };
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

/** What is shown in spite of indexing errors. By response key, as in graph-node: an aliased `_meta` is not. */
const alwaysShown = ['_meta', '__schema', '__type'];

/**
 * Adds the error of a subgraph with indexing errors, and withholds data that does not allow them. As in
 * graph-node, the fields at one block share their fate: one without `subgraphError: allow` withholds the data of
 * all, and `_meta` has no such argument.
 */
function withIndexingErrors(
  data: Record<string, unknown>,
  rootFields: QueryContext['rootFields'],
): QueryAnswer {
  const visible = new Set<string>();
  const errors: QueryAnswer['errors'] = [];
  const groups = Map.groupBy(Object.keys(data), (key) => rootFields.get(key)?.block ?? '{}');
  for (const keys of groups.values()) {
    const allowed = keys.every((key) => rootFields.get(key)?.allowsErrors);
    for (const key of keys) if (allowed || alwaysShown.includes(key)) visible.add(key);
    if (keys.some((key) => key !== '_meta')) errors.push({ message: queryErrors.indexing().message });
  }
  const entries = Object.entries(data).filter(([key]) => visible.has(key));
  return {
    ...((entries.length > 0 || errors.length === 0) && { data: Object.fromEntries(entries) }),
    ...(errors.length > 0 && { errors }),
  };
}
