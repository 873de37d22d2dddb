import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { issuerRequired } from '../access/caller.ts';
import { sourceOf } from '../graphql/execution/context.ts';
import { type PublicHeaders, privateHeaders } from '../graphql/transport/answer-headers.ts';
import { etagOf, matchesEtag, releaseText } from '../lib/release-text.ts';
import { jsonType, sendText } from '../lib/send.ts';
import type { Operation, RunOperation } from '../operations/operations.ts';
import { whenCallerLeaves } from '../server/response.ts';
import type { Route } from '../server/server.ts';
import type { Endpoint } from './endpoints.ts';
import { linksOf } from './links.ts';
import { restInterface } from './openapi.ts';
import { problem } from './problems.ts';
import { readInput } from './read-input.ts';
import { answerOf, type Values } from './result.ts';

/** Dependencies of the routes. */
export interface RestDeps {
  schema: GraphQLSchema;
  operations: ReadonlyMap<string, Operation>;
  run: RunOperation;
  publicHeaders: PublicHeaders;
  /** The public address, whose path begins every link. */
  publicUrl(): string;
  maxBodyBytes: number;
  /** Whether `/openapi.json` is served. */
  isDescribed: boolean;
}

/** The routes of plain HTTP, for callers without GraphQL, and their description. */
export function restRoutes(deps: RestDeps): Route[] {
  const { endpoints, openApi } = restInterface(deps.schema, deps.operations);
  const routes = endpoints.map(
    (endpoint): Route => ({
      method: endpoint.method,
      path: endpoint.inPath ? endpoint.path.replace(/\{\w+\}$/, '*') : endpoint.path,
      span: endpoint.path,
      handle: (req, res, url) => answer(deps, endpoint, req, res, url),
    }),
  );
  if (!deps.isDescribed) return routes;
  return [...routes, { method: 'GET', path: '/openapi.json', handle: releaseText(jsonType, openApi) }];
}

async function answer(
  { run, publicHeaders, publicUrl, maxBodyBytes }: RestDeps,
  endpoint: Endpoint,
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
): Promise<void> {
  // Listen before the first await: the caller may leave while its body is read.
  const gone = whenCallerLeaves(res);
  const source = sourceOf(req, res);
  // Check before the body is read: a stranger's would only be refused.
  if (endpoint.isPrivate && source.credentials.kind === 'nothing') {
    const { code, message } = issuerRequired();
    throw problem([{ code, detail: message }]);
  }
  const values = await readInput(endpoint, req, url, maxBodyBytes);
  const result = await run(source, endpoint.operation.name, values, gone);
  const answer = answerOf(endpoint, result, values);
  const text = JSON.stringify(answer);
  const basePath = new URL(publicUrl()).pathname.replace(/\/$/, '');
  const link = linksOf(endpoint, answer, url, basePath);
  const location = locationOf(endpoint, answer, basePath);
  const headers = [
    ...(link === undefined ? [] : ['link', link]),
    ...(location === undefined ? [] : ['location', location]),
  ];
  if (!('isPublic' in result && result.isPublic)) {
    const status = location !== undefined && answer.completedAt === null ? 202 : 200;
    return sendText(res, status, jsonType, text, [...privateHeaders, ...headers]);
  }
  const etag = etagOf(text);
  const all = ['etag', etag, ...publicHeaders(result.newestBlock), ...headers];
  if (matchesEtag(req.headers['if-none-match'], etag)) res.writeHead(304, all).end();
  else sendText(res, 200, jsonType, text, all);
}

/** The Location of the answer to a POST. */
const locationOf = ({ location }: Endpoint, answer: Values, basePath: string): string | undefined =>
  location && `${basePath}${location.path}/${encodeURIComponent(String(answer[location.member]))}`;
