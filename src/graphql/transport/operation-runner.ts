import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { currentContext, runWith, type WorkContext } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import type { OperationParams } from '../../lib/operation-params.ts';
import type { Context, OperationSource } from '../execution/context.ts';
import type { DocumentStore } from '../execution/documents.ts';
import { locationOf, refusal } from '../execution/mask-error.ts';

/** A caller's validated operation, not executed yet. */
export interface PreparedOperation extends ExecutionArgs {
  /** One result, or one for each event. The first read starts the execution; `return` cancels it. */
  results: AsyncGenerator<ExecutionResult>;
}

/** Why an operation is not executed, and the status that says so over HTTP. */
export interface RefusedOperation {
  status: number;
  errors: readonly GraphQLError[];
}

/** The limits of connections that carry several operations, and their log. */
export interface SharedConnectionOptions {
  log: Logger;
  /** The maximum of concurrent operations on one connection. */
  maxOperations: number;
  /** Counts a connection until `end` emits `close`. Returns why it is refused, or undefined when it is counted. */
  admitStream(req: IncomingMessage, end: EventEmitter): string | undefined;
}

/** Prepares an operation whose results are not sent as the response to its own request. */
export type PrepareOperation = (
  source: OperationSource,
  params: OperationParams,
) => Promise<PreparedOperation | RefusedOperation>;

/** Runs each operation through Yoga's envelop plugins, which give resolvers their context and apply the limits. */
export function operationRunner(
  graphql: Pick<YogaServerInstance<object, Context>, 'getEnveloped'>,
  mask: (error: unknown) => GraphQLError,
  { textOf }: Pick<DocumentStore, 'textOf'>,
): PrepareOperation {
  const prepare = async (source: OperationSource, params: OperationParams, work: WorkContext) => {
    const { parse, validate, schema, ...envelope } = graphql.getEnveloped({ source, params });
    const { operationName = null, variables: variableValues = null } = params;
    const document = parse(textOf(params));
    const errors: readonly GraphQLError[] = validate(schema, document);
    if (errors.length > 0) return refuse(errors);
    const operation = getOperationAST(document, operationName);
    if (!operation) return refuse([noSuchOperation()]);
    const contextValue: Context = await envelope.contextFactory();
    const args = { schema, document, operationName, variableValues, contextValue };
    const run = operation.operation === 'subscription' ? envelope.subscribe : envelope.execute;
    const start = () => runWith(work, async () => run(args));
    return { ...args, results: resultsOf(start, contextValue, mask) };
  };
  return (source, params) => {
    // Operations on one socket share an upgrade request, so each gets an id of its own.
    const { requestId = randomUUID() } = currentContext();
    const work = { requestId };
    return runWith(work, () => prepare(source, params, work).catch((error) => refuse([mask(error)])));
  };
}

/** The results of an operation, which starts when the first is read. Its caller may leave before. */
function resultsOf(
  start: () => Promise<AsyncIterable<ExecutionResult> | ExecutionResult>,
  context: Context,
  mask: (error: unknown) => GraphQLError,
): AsyncGenerator<ExecutionResult> {
  let isLeft = false;
  const results = (async function* () {
    try {
      const started = await start();
      for await (const result of Symbol.asyncIterator in started ? started : [started]) {
        if (isLeft) return;
        yield withoutStatuses(result);
      }
    } catch (error) {
      // A shared connection cannot be closed for one operation, so send the error as its last result.
      if (!isLeft) yield { errors: [withoutStatus(mask(error))] };
    }
  })();
  const leave = results.return.bind(results);
  // `return` queues behind a pending `next`, so first cancel what that waits for.
  results.return = (value) => {
    isLeft = true;
    context.end();
    return leave(value);
  };
  return results;
}

const withoutStatuses = (result: ExecutionResult): ExecutionResult =>
  result.errors ? { ...result, errors: result.errors.map(withoutStatus) } : result;

/** The same message as over HTTP. */
const noSuchOperation = () =>
  refusal('OPERATION_RESOLUTION_FAILURE', 'Could not determine what operation to execute.', 400);

function refuse(errors: readonly GraphQLError[]): RefusedOperation {
  const { status = 400 } = (errors[0]?.extensions.http ?? {}) as { status?: number };
  // On a shared connection 2xx would mean that results follow, but the error for an unknown hash has status 200.
  return { status: status < 300 ? 400 : status, errors: errors.map(withoutStatus) };
}

/** Removes the HTTP status, which means nothing in a message on a shared connection. */
export function withoutStatus(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  return new GraphQLError(error.message, { ...locationOf(error), extensions });
}
