import type { Logger } from '@srr-gateway/common/log';
import type { DocumentNode } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { extraParamNames, graphqlPath } from '../../lib/operation-params.ts';
import type { Context, Contexts, ServerContext } from '../execution/context.ts';
import type { DocumentStore } from '../execution/documents.ts';
import { type ExecutorOptions, executor } from '../execution/executor.ts';
import { literalPaths } from '../execution/input-paths.ts';
import { type CostLimitsOptions, costLimits } from '../execution/limits/cost-limits.ts';
import { type QueryLimitsOptions, queryLimits } from '../execution/limits/query-limits.ts';
import { errorMasker } from '../execution/mask-error.ts';
import { perEventContext, type ResultSink } from '../execution/per-event-context.ts';
import type { PreparedReads } from '../execution/prepared/prepared-reads.ts';
import { graphiqlOptions, type Showcase } from '../graphiql/graphiql.ts';
import { schema } from '../schema/schema.ts';
import { cacheControl, type PublicHeaders } from './answer-headers.ts';
import { eventStreams } from './event-stream.ts';
import { failedRequests } from './failed-requests.ts';
import { malformedRequests } from './malformed-requests.ts';
import { operationRunner } from './operation-runner.ts';

/** What the GraphQL server needs from the rest of the gateway. */
export interface GraphQLOptions extends ExecutorOptions, QueryLimitsOptions, CostLimitsOptions {
  contexts: Contexts;
  reads: PreparedReads;
  documents: DocumentStore;
  log: Logger;
  graphiql: boolean;
  showcase: Showcase | undefined;
  maxBodyBytes: number;
  publicHeaders: PublicHeaders;
}

/** Characters of all cached texts. A parsed document takes some fifty bytes for each character. */
const maxParsed = 1_000_000;

/** Yoga's own caches limit only the number of documents, so strangers could fill the memory with long ones. */
const byText = <Value extends object>() =>
  new LRUCache<string, Value>({ maxSize: maxParsed, sizeCalculation: (_, text) => text.length || 1 });

/** Creates the GraphQL server for HTTP, and the function that prepares operations of the other transports. */
export function createGraphQL(options: GraphQLOptions) {
  const { contexts } = options;
  const maskError = errorMasker(options.log, options);
  const graphql = createYoga<ServerContext & ResultSink, Context>({
    schema,
    graphqlEndpoint: graphqlPath,
    landingPage: false,
    // The HTTP server handles CORS for every route.
    cors: false,
    logging: false,
    maxRequestBodySize: options.maxBodyBytes,
    context: (initial) => contexts.create(initial),
    maskedErrors: { maskError },
    parserAndValidationCache: { documentCache: byText<DocumentNode>(), errorCache: byText<Error>() },
    batching: { limit: options.queryLimits.batch },
    extraParamNames,
    plugins: [
      malformedRequests(options.maxBodyBytes),
      failedRequests(),
      options.documents.plugin,
      queryLimits(schema, options),
      costLimits(options),
      cacheControl(options.publicHeaders),
      options.reads.plugin,
      perEventContext(contexts.renew, maskError),
      literalPaths(),
      executor(options),
      eventStreams(),
    ],
    ...(options.graphiql ? graphiqlOptions(options.showcase) : { graphiql: false }),
  });
  return { graphql, prepare: operationRunner(graphql, maskError, options.documents) };
}

export type GraphQLServer = ReturnType<typeof createGraphQL>['graphql'];
