/** Where GraphQL is served. */
export const graphqlPath = '/graphql';

/** A GraphQL operation in the shape of GraphQL over HTTP, checked, whichever transport it came by. */
export interface OperationParams {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
}
