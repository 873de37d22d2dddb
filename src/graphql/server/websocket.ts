import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, GraphQLError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { GatewayError } from '../../lib/errors.ts';
import { asGraphQLError } from './mask-error.ts';
import type { GraphQLServer } from './yoga.ts';

/** Operations are text of a few KB; a socket takes no files. */
const maxMessageBytes = 1_000_000;

/** A client that lives answers a close at once; one that does not must not hold up a stop. */
const closeWithinMs = 1_000;

/**
 * GraphQL over WebSocket (graphql-transport-ws) on the same path. Every operation goes through Yoga's own
 * envelope: called beside it, resolvers would get no context.
 */
export function serveWebSocket(
  server: Server,
  graphql: GraphQLServer,
  tooOften: (req: IncomingMessage) => string | undefined,
): { close(): Promise<void>; connections(): number } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (req.url?.split('?')[0] !== graphql.graphqlEndpoint) return void socket.destroy();
    sockets.handleUpgrade(req, socket, head, (ws) => sockets.emit('connection', ws, req));
  });
  const handle = useServer(
    {
      execute: (args) => (args as EnvelopedArgs).envelope.execute(args),
      subscribe: (args) => (args as EnvelopedArgs).envelope.subscribe(args),
      onSubscribe: async (context, _id, params) => {
        const refusal = tooOften(context.extra.request);
        if (refusal) return [new GraphQLError(refusal, { extensions: { code: 'RATE_LIMITED' } })];
        const { schema, execute, subscribe, contextFactory, parse, validate } = graphql.getEnveloped({
          connectionParams: context.connectionParams,
          extra: context.extra,
          params,
        });
        const document = orError(() => parse(params.query));
        // Thrown, it would end the socket and all that runs on it.
        if (document instanceof GraphQLError) return [document];
        const errors = validate(schema, document);
        if (errors.length > 0) return errors;
        const contextValue = await Promise.resolve().then(contextFactory).catch(asRefusal);
        if (contextValue instanceof GraphQLError) return [contextValue];
        return {
          schema,
          document,
          operationName: params.operationName,
          variableValues: params.variables,
          contextValue,
          envelope: { execute, subscribe },
        } as EnvelopedArgs;
      },
    },
    sockets,
  );
  return {
    connections: () => sockets.clients.size,
    /** Closes every socket with 1001 (going away), on which clients connect again and resume. */
    close: async () => {
      const cut = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, closeWithinMs);
      await handle.dispose();
      clearTimeout(cut);
    },
  };
}

/** Of one operation; the socket and all else that runs on it go on. */
function asRefusal(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (error instanceof GatewayError) return asGraphQLError(error);
  throw error;
}

function orError<T>(work: () => T): T | GraphQLError {
  try {
    return work();
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

interface EnvelopedArgs extends ExecutionArgs {
  envelope: {
    execute(args: ExecutionArgs): ReturnType<typeof import('graphql').execute>;
    subscribe(args: ExecutionArgs): ReturnType<typeof import('graphql').subscribe>;
  };
}
