import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator } from '../../access/authenticate.ts';
import { anonymous } from '../../access/caller.ts';
import { credentialsOf } from '../../access/request-credentials.ts';
import { graphqlPath } from '../../lib/operation-params.ts';
import { send } from '../../lib/send.ts';
import { addAttributes, requestSpan, withSpan } from '../../observability/trace.ts';
import type { Handover, HeaderSink } from '../execution/context.ts';
import type { CacheStatus, CallerRead } from '../execution/prepared/prepared-reads.ts';
import type { Answer } from '../execution/response-cache.ts';
import { privateHeaders } from './answer-headers.ts';
import { jsonTypeFor } from './answer-types.ts';
import { respond } from './event-stream.ts';
import type { SharedConnectionOptions } from './operation-runner.ts';
import { readRequest } from './read-request.ts';
import type { GraphQLOptions, GraphQLServer } from './yoga.ts';

export interface HandlerDeps
  extends Pick<
    GraphQLOptions,
    'reads' | 'documents' | 'publicHeaders' | 'maxAnonymousBodyBytes' | 'queryLimits' | 'chargeCost'
  > {
  graphql: GraphQLServer;
  authenticator: Authenticator;
  admitStream: SharedConnectionOptions['admitStream'];
}

/** A request of an authenticated caller for a prepared read. */
interface PreparedRequest extends Pick<CallerRead, 'read' | 'key' | 'caller'> {
  /** The values of the variables as they were sent. */
  variables: Record<string, unknown>;
  contentType: string;
  /** When the request arrived, by `performance.now()`. */
  receivedAt: number;
}

/**
 * GraphQL over HTTP. Prepared reads are answered here; every other or unusual request is delegated to the GraphQL
 * server. Both give the same bytes and headers, except Cache-Status (RFC 9211).
 */
export function createGraphQLHandler(deps: HandlerDeps) {
  const { graphql, reads, documents, publicHeaders, queryLimits, authenticator, chargeCost } = deps;

  const delegate = async (req: IncomingMessage, res: ServerResponse, handover: Handover = {}) => {
    if (!res.destroyed) await respond(graphql, req, res, handover, deps.admitStream);
  };

  /** Sends an answer with the GraphQL server's headers, and with Cache-Status. */
  const sendAnswer = (
    res: ServerResponse,
    { contentType, caller }: PreparedRequest,
    answer: Answer,
    cache: CacheStatus,
  ) => {
    const isPublic = res.req.method === 'GET' && caller.kind === 'anonymous' && answer.complete;
    const headers = isPublic ? publicHeaders(answer.newestBlock) : privateHeaders;
    send(res, 200, contentType, answer, ['cache-status', `srr-gateway; ${cache}`, ...headers]);
  };

  /**
   * The request, if it is for a prepared read and its credentials are valid; undefined delegates it to the GraphQL
   * server.
   */
  const preparedRequest = async (req: IncomingMessage): Promise<PreparedRequest | undefined> => {
    const params = await readRequest(req, deps.maxAnonymousBodyBytes, documents);
    const read = params && reads.find(params.query, params.operationName);
    const contentType = read && jsonTypeFor(req);
    if (!read || contentType === undefined) return undefined;
    const receivedAt = performance.now();
    const credentials = credentialsOf(req);
    const caller =
      credentials.kind === 'nothing'
        ? anonymous
        : await authenticator.caller(credentials).catch(() => undefined);
    const key = `${req.headers['accept-language'] ?? ''}\n${params.text}`;
    return caller && { read, key, caller, contentType, variables: params.variables, receivedAt };
  };

  /** Answers what is not in the response cache. */
  const answerMiss = async (
    req: IncomingMessage,
    res: ServerResponse & HeaderSink,
    request: PreparedRequest,
  ) => {
    // The caller left while its credentials were checked. `close` has fired already, so nothing would count it out.
    if (res.destroyed) return;
    const { read, key, caller, receivedAt } = request;
    const measured = read.measure(request.variables);
    // The GraphQL server refuses it with a typed error.
    if (!measured || measured.cost > queryLimits.cost) return delegate(req, res);
    const charged = chargeCost?.({ req, res }, caller, measured.cost);
    if (charged?.refusal !== undefined) return delegate(req, res, { charged });
    const callerRead = { read, key, variables: measured.variables, caller, headers: req.headers };
    const executed = await reads.execute(callerRead, res);
    if (executed?.answer) {
      addAttributes({ 'http.response.status_code': 200 });
      return sendAnswer(res, request, executed.answer, executed.cacheStatus);
    }
    res.add?.('cache-status', 'srr-gateway; fwd=miss');
    return delegate(req, res, { receivedAt, charged, reads: executed?.reads });
  };

  // Rejects on failure, so that the server can answer. An unhandled rejection would end the process.
  return async (req: IncomingMessage, res: ServerResponse & HeaderSink): Promise<void> => {
    const request = await preparedRequest(req);
    const cached = request && reads.cached(request);
    if (request && cached) return sendAnswer(res, request, cached, 'hit');
    const span = requestSpan(req.method ?? '', graphqlPath, req.headers.traceparent);
    await withSpan(span, () => (request ? answerMiss(req, res, request) : delegate(req, res)));
  };
}
