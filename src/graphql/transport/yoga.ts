import type { Logger } from '@srr-gateway/common/log';
import { createYoga } from 'graphql-yoga';
import type { QueryLimits } from '../../config/config.ts';
import { graphqlPath } from '../../lib/operation-params.ts';
import type { Context, Contexts, InitialContext, ReadsBefore } from '../execution/context.ts';
import { deadline } from '../execution/deadline.ts';
import { type DocumentStore, documentCaches } from '../execution/documents.ts';
import { inputPaths } from '../execution/input-paths.ts';
import { anonymousBody, queryLimits } from '../execution/limits/query-limits.ts';
import { errorMasker } from '../execution/mask-error.ts';
import { type Operation, operationMeter, operationSpans } from '../execution/operation-telemetry.ts';
import { perEventContext } from '../execution/per-event-context.ts';
import type { PreparedReads } from '../execution/prepared/prepared-reads.ts';
import { graphiqlOptions, type Showcase } from '../graphiql/graphiql.ts';
import { schema } from '../schema/schema.ts';
import { ContentTypes, cacheControl } from './answer-headers.ts';
import { type EventStreamContext, eventStreams } from './event-stream.ts';
import { operationRunner } from './operation-runner.ts';
import { malformedRequests } from './read-request.ts';

export { graphiqlAssets } from '../graphiql/graphiql.ts';

/** What the GraphQL server needs from the rest of the gateway. */
export interface GraphQLOptions {
  contexts: Contexts;
  reads: PreparedReads;
  documents: DocumentStore;
  log: Logger;
  graphiql: boolean;
  showcase: Showcase | undefined;
  maxBodyBytes: number;
  maxAnonymousBodyBytes: number;
  operationEnded(operation: Operation): void;
  /** Whether traces are exported. */
  traces: boolean;
  /** The most that a query or mutation may take. */
  timeoutMs: number;
  introspection: boolean;
  queryLimits: QueryLimits;
}

/** Creates the GraphQL server for HTTP, and what prepares the operations of the other transports. */
export function createGraphQL(options: GraphQLOptions) {
  const { contexts } = options;
  const maskError = errorMasker(options.log, options);
  const contentTypes = new ContentTypes();
  const graphql = createYoga<ReadsBefore & EventStreamContext, Context>({
    schema,
    graphqlEndpoint: graphqlPath,
    landingPage: false,
    // The HTTP server handles CORS for every route.
    cors: false,
    logging: false,
    maxRequestBodySize: options.maxBodyBytes,
    context: (initial) => contexts.create(initial as unknown as InitialContext),
    maskedErrors: { maskError },
    parserAndValidationCache: documentCaches(),
    batching: { limit: options.queryLimits.batch },
    plugins: [
      malformedRequests(),
      anonymousBody(options.maxAnonymousBodyBytes),
      options.documents.plugin,
      queryLimits(schema, options.queryLimits, options),
      cacheControl(),
      options.reads.plugin,
      perEventContext(contexts.renew, maskError),
      inputPaths(),
      deadline(options.timeoutMs),
      operationMeter(options.operationEnded),
      ...(options.traces ? [operationSpans()] : []),
      eventStreams(),
      contentTypes.plugin,
    ],
    ...(options.graphiql ? graphiqlOptions(options.showcase) : { graphiql: false }),
  });
  return { graphql, contentTypes, prepare: operationRunner(graphql, maskError) };
}

export type GraphQLServer = ReturnType<typeof createGraphQL>['graphql'];
