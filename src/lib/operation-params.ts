export const graphqlPath = '/graphql';

/** Checked parameters of a GraphQL operation of any transport, named as in GraphQL over HTTP. */
export interface OperationParams {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
  extensions?: Record<string, unknown> | null | undefined;
}

/**
 * Accepted and ignored: Apollo Client's operations have this property, and usual links to graphql-sse send it along.
 */
export const extraParamNames = ['operationType'];
