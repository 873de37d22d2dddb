import { readdirSync, readFileSync } from 'node:fs';
import {
  concatAST,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  Source,
  separateOperations,
  validate,
} from 'graphql';
import type { Context, OperationSource } from '../graphql/execution/context.ts';
import type { PrepareOperation, RefusedOperation } from '../graphql/transport/operation-runner.ts';

/** A trusted document: one operation, with the fragments that it uses. */
export interface Operation {
  name: string;
  /** What it does, for people and agents. */
  description: string;
  definition: OperationDefinitionNode;
  document: DocumentNode;
  text: string;
}

/** The result of an operation that was executed. */
export interface OperationResult extends ExecutionResult<Record<string, unknown>> {
  /** Whether the answer is the same for every caller: this one is anonymous, and nothing is missing. */
  isPublic: boolean;
  /** Hash of the newest block. The next block may change the result; undefined when no block can. */
  newestBlock?: string | undefined;
}

/**
 * Runs an operation by its name for the caller of `source`, with all limits and rights of its credentials.
 * `signal` aborts when the caller leaves. Errors are masked, without an HTTP status.
 * @throws when there is no operation of this name, or the caller has left.
 */
export type RunOperation = (
  source: OperationSource,
  name: string,
  variables: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<OperationResult | RefusedOperation>;

const folder = new URL('documents/', import.meta.url);

/**
 * Loads the trusted documents by name. @throws Error when one is not valid against the schema, or has no
 * description.
 */
export function loadOperations(schema: GraphQLSchema): ReadonlyMap<string, Operation> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  const allDocuments = concatAST(
    files.map((name) => parse(new Source(readFileSync(new URL(name, folder), 'utf8'), name))),
  );
  // Validate all of them together, so that names are unique and no fragment is unused.
  const [error] = validate(schema, allDocuments);
  if (error) throw error;
  return new Map(
    Object.entries(separateOperations(allDocuments)).map(([name, document]) => [
      name,
      operationOf(name, document),
    ]),
  );
}

function operationOf(name: string, document: DocumentNode): Operation {
  const definition = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (!definition?.description) throw new Error(`The operation ${name} has no description.`);
  return { name, description: definition.description.value, definition, document, text: print(document) };
}

/** Runs these operations through the GraphQL server. */
export function operationsRunner(
  operations: ReadonlyMap<string, Operation>,
  prepare: PrepareOperation,
): RunOperation {
  return async (source, name, variables, signal) => {
    const operation = operations.get(name);
    if (!operation) throw new Error(`There is no operation ${name}.`);
    const prepared = await prepare(source, { query: operation.text, operationName: name, variables });
    if ('status' in prepared) return prepared;
    const { results, contextValue } = prepared;
    const cancel = () => void results.return(undefined);
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const { value } = await results.next().finally(() => signal?.removeEventListener('abort', cancel));
    signal?.throwIfAborted();
    const { caller, loaders } = contextValue as Context;
    const isPublic = caller.kind === 'anonymous' && loaders.complete && !value.errors;
    return { ...value, isPublic, newestBlock: loaders.newestBlock };
  };
}
