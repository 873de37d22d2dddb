import { randomUUID } from 'node:crypto';
import { bindIterable, currentContext, runWith, type WorkContext } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { OperationParams } from '../../lib/operation-params.ts';
import type { Asked } from '../execution/context-factory.ts';
import { errorMasker, withCode } from '../execution/mask-error.ts';
import type { GraphQLServer } from './yoga.ts';

/** A validated operation with the context of its caller. */
export interface PreparedOperation extends ExecutionArgs {
  isSubscription: boolean;
  /** Aborts what the operation waits for. Its caller has left, or wants no more results. */
  cancel(): void;
  work: WorkContext;
  envelope: {
    execute(args: ExecutionArgs): ReturnType<typeof import('graphql').execute>;
    subscribe(args: ExecutionArgs): ReturnType<typeof import('graphql').subscribe>;
  };
}

/** Prepares and runs operations whose results do not go back on their own request. */
export interface OperationRunner {
  prepare(
    asked: Asked,
    params: OperationParams,
  ): Promise<PreparedOperation | { errors: readonly GraphQLError[] }>;
  /** Never rejects: an error would end a connection and all operations on it. */
  run(operation: PreparedOperation): Promise<AsyncIterable<ExecutionResult> | ExecutionResult>;
  mask(error: unknown): GraphQLError;
}

/**
 * Runs each operation through Yoga's envelope: without it resolvers would have no context and no limit would
 * apply.
 */
export function createOperationRunner(
  graphql: GraphQLServer,
  options: { log: Logger; introspection: boolean },
): OperationRunner {
  const mask = errorMasker(options.log, options);
  const masked = async <T>(run: () => T): Promise<Awaited<T> | { errors: GraphQLError[] }> => {
    try {
      return await run();
    } catch (error) {
      return { errors: [mask(error)] };
    }
  };
  return {
    mask,
    prepare: (asked, params) => {
      // Operations on one socket share an upgrade request, so each gets an id of its own.
      const { requestId = randomUUID() } = currentContext();
      const work = { requestId };
      const prepare = async () => {
        const { schema, execute, subscribe, contextFactory, parse, validate } = graphql.getEnveloped({
          asked,
          params,
        });
        const document = orParseFailed(() => parse(params.query));
        const errors: readonly GraphQLError[] = validate(schema, document);
        if (errors.length > 0)
          return { errors: errors.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')) };
        const operation = getOperationAST(document, params.operationName);
        if (!operation) return { errors: [noSuchOperation()] };
        const contextValue = await contextFactory();
        return {
          schema,
          document,
          operationName: params.operationName ?? null,
          variableValues: params.variables ?? null,
          contextValue,
          cancel: () => contextValue.end(),
          isSubscription: operation.operation === 'subscription',
          work,
          envelope: { execute, subscribe },
        };
      };
      return runWith(work, () => masked(prepare));
    },
    run: (operation) =>
      runWith(operation.work, () =>
        masked(async () => {
          const { envelope, isSubscription, work } = operation;
          const result = await (isSubscription ? envelope.subscribe(operation) : envelope.execute(operation));
          return Symbol.asyncIterator in result ? bindIterable(work, result) : result;
        }),
      ),
  };
}

/** An error with a code, for an operation that is refused. */
export const refused = (code: string, message: string) => new GraphQLError(message, { extensions: { code } });

function orParseFailed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof GraphQLError ? withCode(error, 'GRAPHQL_PARSE_FAILED') : error;
  }
}

/** The same message as over HTTP. */
const noSuchOperation = () =>
  refused('OPERATION_RESOLUTION_FAILURE', 'Could not determine what operation to execute.');

/** Removes the HTTP status, which means nothing in a message on a shared connection. */
export function withoutStatus(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  const { nodes, source, positions, path } = error;
  return new GraphQLError(error.message, { nodes, source, positions, path, extensions });
}
