/** What is asked of GraphQL, as far as it is known to be usable: as over HTTP, whichever way it came. */
export interface OperationParams {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
}
