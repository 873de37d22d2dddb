export const graphqlPath = '/graphql';

/** Checked parameters of a GraphQL operation of any transport, named as in GraphQL over HTTP. */
export interface OperationParams {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
  extensions?: Record<string, unknown> | null | undefined;
}

/**
 * Parameters that are accepted and ignored. Apollo Client's operations have it, and the usual links to graphql-sse
 * send them whole.
 */
export const extraParamNames = ['operationType'];
