import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator } from '../../access/authenticate.ts';
import { anonymous } from '../../access/caller.ts';
import { credentialsOf } from '../../access/request-credentials.ts';
import { graphqlPath } from '../../lib/operation-params.ts';
import { send } from '../../lib/send.ts';
import { addAttributes, requestSpan, withSpan } from '../../observability/trace.ts';
import type { AddsHeaders, ReadsBefore } from '../execution/context.ts';
import type { CacheStatus, Question } from '../execution/prepared/prepared-reads.ts';
import type { Answer } from '../execution/response-cache.ts';
import { jsonTypeFor, privateHeaders } from './answer-headers.ts';
import { respond } from './event-stream.ts';
import type { SharedConnectionOptions } from './operation-runner.ts';
import { readRequest } from './read-request.ts';
import type { GraphQLOptions, GraphQLServer } from './yoga.ts';

export interface HandlerDeps
  extends Pick<
    GraphQLOptions,
    'reads' | 'documents' | 'publicHeaders' | 'maxAnonymousBodyBytes' | 'queryLimits' | 'charge'
  > {
  graphql: GraphQLServer;
  authenticator: Authenticator;
  hold: SharedConnectionOptions['hold'];
}

/** A prepared read that a caller asks for. */
interface Asked extends Pick<Question, 'read' | 'key' | 'caller'> {
  /** The values of the variables as they were sent. */
  given: Record<string, unknown>;
  contentType: string;
  /** When the request came, as of `performance.now()`. */
  askedAt: number;
}

/**
 * GraphQL over HTTP. A read that was prepared is answered here; everything else, and whatever is unusual about
 * a request, is left to the GraphQL server. Both ways give the same bytes and headers, but for Cache-Status
 * (RFC 9211).
 */
export function createGraphQLHandler(deps: HandlerDeps) {
  const { graphql, reads, documents, publicHeaders, queryLimits, authenticator, charge } = deps;

  const leave = async (req: IncomingMessage, res: ServerResponse, before: ReadsBefore = {}) => {
    if (!res.destroyed) await respond(graphql, req, res, before, deps.hold);
  };

  /** Sends an answer with the headers that the GraphQL server gives it, and says whether it was cached (RFC 9211). */
  const sendAnswer = (
    res: ServerResponse,
    { contentType, caller }: Asked,
    answer: Answer,
    cache: CacheStatus,
  ) => {
    const isPublic = res.req.method === 'GET' && caller.kind === 'anonymous' && answer.complete;
    const headers = isPublic ? publicHeaders(answer.newestBlock) : privateHeaders;
    send(res, 200, contentType, answer, ['cache-status', `srr-gateway; ${cache}`, ...headers]);
  };

  /** The prepared read that a valid caller asks for; undefined when the GraphQL server is to look at the request. */
  const askedBy = async (req: IncomingMessage): Promise<Asked | undefined> => {
    const asked = await readRequest(req, documents, deps.maxAnonymousBodyBytes);
    const read = asked && reads.find(asked.query, asked.operationName);
    const contentType = read && jsonTypeFor(req);
    if (!read || contentType === undefined) return undefined;
    const askedAt = performance.now();
    const credentials = credentialsOf(req);
    const caller =
      credentials.kind === 'nothing'
        ? anonymous
        : await authenticator.caller(credentials).catch(() => undefined);
    const key = `${read.number} ${asked.variablesText} ${req.headers['accept-language'] ?? ''}`;
    return caller && { read, key, caller, contentType, given: asked.variables, askedAt };
  };

  /** Answers what is not in the response cache. */
  const answerNew = async (req: IncomingMessage, res: ServerResponse & AddsHeaders, asked: Asked) => {
    const { read, key, caller, askedAt } = asked;
    const measured = read.measure(asked.given);
    // The GraphQL server refuses it, and says why.
    if (!measured || measured.cost > queryLimits.cost) return leave(req, res, { askedAt });
    const charged = charge?.({ req, res }, caller, measured.cost);
    if (charged?.refusal !== undefined) return leave(req, res, { askedAt, charged });
    const question = { read, key, variables: measured.variables, caller, headers: req.headers };
    const executed = await reads.execute(question, res);
    if (executed?.answer) {
      addAttributes({ 'http.response.status_code': 200 });
      return sendAnswer(res, asked, executed.answer, executed.cacheStatus);
    }
    res.add?.('cache-status', 'srr-gateway; fwd=miss');
    return leave(req, res, { askedAt, charged, reads: executed?.reads });
  };

  // Rejects on failure, so that the server can answer. An unhandled rejection would end the process.
  return async (req: IncomingMessage, res: ServerResponse & AddsHeaders): Promise<void> => {
    const asked = await askedBy(req);
    const cached = asked && reads.cached(asked);
    if (asked && cached) return sendAnswer(res, asked, cached, 'hit');
    const span = requestSpan(req.method ?? '', graphqlPath, req.headers.traceparent);
    await withSpan(span, () => (asked ? answerNew(req, res, asked) : leave(req, res)));
  };
}
