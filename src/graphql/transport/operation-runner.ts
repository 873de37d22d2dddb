import { randomUUID } from 'node:crypto';
import { bindIterable, currentContext, runWith, type WorkContext } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { OperationParams } from '../../lib/operation-params.ts';
import type { Context } from '../execution/context.ts';
import type { Asked } from '../execution/context-factory.ts';
import { errorMasker, withCode } from '../execution/mask-error.ts';
import type { GraphQLServer } from './yoga.ts';

/** A validated operation with the context of its caller. */
export interface PreparedOperation extends ExecutionArgs {
  contextValue: Context;
  isSubscription: boolean;
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
  /**
   * The results: one, or one for each event. Nothing is executed before the first is read; `return` cancels
   * what the operation waits for.
   */
  run(operation: PreparedOperation): AsyncGenerator<ExecutionResult>;
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
        return {
          schema,
          document,
          operationName: params.operationName ?? null,
          variableValues: params.variables ?? null,
          contextValue: await contextFactory(),
          isSubscription: operation.operation === 'subscription',
          work,
          envelope: { execute, subscribe },
        };
      };
      return runWith(work, () => masked(prepare));
    },
    run: (operation) => {
      const { envelope, isSubscription, work } = operation;
      const start = () => (isSubscription ? envelope.subscribe(operation) : envelope.execute(operation));
      return cancellable(operation, () => runWith(work, () => masked(start)));
    },
  };
}

/**
 * The results of an operation that is started when the first is read. Its caller can leave before: a generator
 * handles `return` only after its pending `next`, so by itself it would wait for the result.
 */
function cancellable(
  { contextValue, work }: PreparedOperation,
  start: () => Promise<AsyncIterable<ExecutionResult> | ExecutionResult>,
): AsyncGenerator<ExecutionResult> {
  const left = Promise.withResolvers<undefined>();
  let isLeft = false;
  const results = (async function* () {
    const started = start();
    const result = await Promise.race([started, left.promise]);
    if (isLeft || !result) return void started.then(endStream).catch(() => {});
    if (isStream(result)) for await (const one of bindIterable(work, result)) yield withoutStatuses(one);
    else yield withoutStatuses(result);
  })();
  const leave = results.return.bind(results);
  results.return = (value) => {
    isLeft = true;
    left.resolve(undefined);
    contextValue.end();
    return leave(value);
  };
  return results;
}

const isStream = (result: object): result is AsyncIterable<ExecutionResult> => Symbol.asyncIterator in result;

async function endStream(result: object): Promise<void> {
  if (isStream(result)) await result[Symbol.asyncIterator]().return?.();
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

const withoutStatuses = (result: ExecutionResult): ExecutionResult =>
  result.errors ? { ...result, errors: result.errors.map(withoutStatus) } : result;

/** Removes the HTTP status, which means nothing in a message on a shared connection. */
export function withoutStatus(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  const { nodes, source, positions, path } = error;
  return new GraphQLError(error.message, { nodes, source, positions, path, extensions });
}
