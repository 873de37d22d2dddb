import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, GraphQLError, getOperationAST } from 'graphql';
import { WebSocketServer } from 'ws';
import type { HeaderSource } from '../../access/authenticate.ts';
import type { Logger } from '../../lib/log.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { limitExceeded } from '../limits/limit-error.ts';
import { headersOf } from './context-factory.ts';
import { errorMasker, withCode } from './mask-error.ts';
import { speakGraphQL } from './sockets.ts';
import type { GraphQLServer } from './yoga.ts';

/** Operations are text of a few KB; a socket takes no files. */
const maxMessageBytes = 1_000_000;

/** A client that lives answers a close at once; one that does not must not hold up a stop. */
const closeWithinMs = 1_000;

export interface WebSocketOptions {
  log: Logger;
  introspection: boolean;
  /** That one socket has open at a time. */
  maxOperations: number;
  /** What to say of a connection that is one too many; undefined: it counts until `end` closes. */
  hold(req: IncomingMessage, end: Duplex): string | undefined;
  /** What to say of an operation that is one too many; undefined: it may go on. */
  tooOften(req: IncomingMessage, credentials: HeaderSource): MaybePromise<string | undefined>;
}

/**
 * GraphQL over WebSocket (graphql-transport-ws) on the same path. Every operation goes through Yoga's own
 * envelope: called beside it, resolvers would get no context.
 */
export function serveWebSocket(
  server: Server,
  graphql: GraphQLServer,
  options: WebSocketOptions,
): { close(): Promise<void>; connections(): number } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (req.url?.split('?')[0] !== graphql.graphqlEndpoint) return void socket.destroy();
    const refusal = options.hold(req, socket);
    if (refusal !== undefined)
      return void socket.on('error', () => socket.destroy()).end(refusedUpgrade(refusal));
    sockets.handleUpgrade(req, socket, head, (ws) => sockets.emit('connection', ws, req));
  });
  const mask = errorMasker(options.log, options);
  const masked = async <T>(work: () => T): Promise<Awaited<T> | { errors: GraphQLError[] }> => {
    try {
      return await work();
    } catch (error) {
      // Thrown on, it would end the socket and all that runs on it.
      return { errors: [mask(error)] };
    }
  };
  speakGraphQL(
    sockets,
    {
      execute: (args) => masked(() => (args as EnvelopedArgs).envelope.execute(args)),
      subscribe: (args) => masked(() => (args as EnvelopedArgs).envelope.subscribe(args)),
      onSubscribe: async (context, _id, params) => {
        const open = Object.keys(context.subscriptions).length;
        if (open > options.maxOperations) return [tooManyOpen(options.maxOperations, open)];
        const refusal = await options.tooOften(context.extra.request, headersOf(context));
        if (refusal) return [refused('RATE_LIMITED', refusal)];
        const prepared = await masked(async () => {
          const { schema, execute, subscribe, contextFactory, parse, validate } = graphql.getEnveloped({
            connectionParams: context.connectionParams,
            extra: context.extra,
            params,
          });
          const document = orParseFailed(() => parse(params.query));
          const errors = validate(schema, document);
          if (errors.length > 0)
            return {
              errors: errors.map((error: GraphQLError) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')),
            };
          if (!getOperationAST(document, params.operationName)) return { errors: [noSuchOperation()] };
          const args: EnvelopedArgs = {
            schema,
            document,
            operationName: params.operationName ?? null,
            variableValues: params.variables ?? null,
            contextValue: await contextFactory(),
            envelope: { execute, subscribe },
          };
          return args;
        });
        return 'errors' in prepared ? prepared.errors : prepared;
      },
      onNext: (_context, _id, _payload, _args, result) =>
        result.errors && { ...result, errors: result.errors.map(withoutStatus) },
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => withoutStatus(mask(error)).toJSON()),
    },
    options.log,
  );
  return {
    connections: () => sockets.clients.size,
    /** Closes every socket with 1001 (going away), on which clients connect again and resume. */
    close: async () => {
      for (const socket of sockets.clients) socket.close(1001, 'Going away');
      const cut = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, closeWithinMs);
      await new Promise((closed) => sockets.close(closed));
      clearTimeout(cut);
    },
  };
}

const refusedUpgrade = (why: string) =>
  `HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(why)}\r\n\r\n${why}`;

const tooManyOpen = (allowed: number, open: number) =>
  limitExceeded(
    'socketOperations',
    allowed,
    open,
    `This would be operation ${open} that the socket has open`,
  );

const refused = (code: string, message: string) => new GraphQLError(message, { extensions: { code } });

function orParseFailed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof GraphQLError ? withCode(error, 'GRAPHQL_PARSE_FAILED') : error;
  }
}

/** As it is said over HTTP. */
const noSuchOperation = () =>
  refused('OPERATION_RESOLUTION_FAILURE', 'Could not determine what operation to execute.');

/** What HTTP should make of an error is nothing that a socket tells. */
function withoutStatus(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  const { nodes, source, positions, path } = error;
  return new GraphQLError(error.message, { nodes, source, positions, path, extensions });
}

interface EnvelopedArgs extends ExecutionArgs {
  envelope: {
    execute(args: ExecutionArgs): ReturnType<typeof import('graphql').execute>;
    subscribe(args: ExecutionArgs): ReturnType<typeof import('graphql').subscribe>;
  };
}
