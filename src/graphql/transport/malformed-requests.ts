import { isUtf8 } from 'node:buffer';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { encodeInUtf8, isCompressed, sendUncompressed } from '../../lib/read-body.ts';
import { limitExceeded } from '../execution/limits/query-limits.ts';
import { refusal } from '../execution/mask-error.ts';

/**
 * Reports every failure of a request parser as the request's fault: `operations` of a form that hold no operation, a
 * `map` that leads nowhere, a truncated body.
 */
export const malformedRequests = (maxBodyBytes: number): Plugin => ({
  onRequestParse({ request: { headers }, requestParser, setRequestParser }) {
    const length = Number(headers.get('content-length') ?? 0);
    if (length > maxBodyBytes) throw bodyTooLong(maxBodyBytes, length);
    setRequestParser(async (request) => {
      if (!requestParser) throw sendJson(415);
      if (isCompressed(request.headers.get('content-encoding')))
        throw refusal('INVALID_INPUT', sendUncompressed, 415);
      try {
        const params = await requestParser(readStrictly(request));
        checkParams(request, params);
        return params;
      } catch (error) {
        throw faultOf(error, request, maxBodyBytes);
      }
    });
  },
});

type Parsed = GraphQLParams | GraphQLParams[] | Response;

function checkParams(request: Request, params: Parsed): void {
  // The `operations` of a form may parse to a number or null.
  if (![params].flat().every((one) => typeof one === 'object' && one)) throw unreadable(request);
  if (!isForm(request)) return;
  if (isEmpty(params)) throw sendJson(400);
  if (hasReplacementChar(params)) throw refusal('BAD_REQUEST', encodeInUtf8, 400);
}

function faultOf(error: unknown, request: Request, maxBodyBytes: number): GraphQLError {
  if (!(error instanceof GraphQLError)) return unreadable(request);
  // The GraphQL server's own limit, for a chunked body, whose full length is unknown.
  const isTooLong = error.extensions.code === 'REQUEST_ENTITY_TOO_LARGE';
  if (isTooLong) return bodyTooLong(maxBodyBytes, maxBodyBytes + 1);
  // Its errors about a multipart form have no status.
  error.extensions.http ??= { status: 400 };
  return error;
}

const bodyTooLong = (maxBytes: number, length: number) =>
  limitExceeded('bodyBytes', maxBytes, length, `The body has ${length} bytes`, 413, 'BODY_MAX_BYTES');

/**
 * The request, with body readers that refuse what is not UTF-8 or not JSON. Its own readers replace invalid UTF-8 by
 * U+FFFD, which would then be issued, and their errors quote the whole body.
 */
function readStrictly(request: Request): Request {
  const text = async () => {
    const bytes = await request.arrayBuffer();
    // Unlike a Buffer it leaves out a byte order mark, which some editors put before JSON.
    if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
    throw refusal('BAD_REQUEST', encodeInUtf8, 400);
  };
  const json = async () => {
    const sent = await text();
    try {
      return JSON.parse(sent);
    } catch (error) {
      throw refusal('BAD_REQUEST', `The body is not JSON: ${(error as Error).message}.`, 400);
    }
  };
  return Object.assign(request, { text, json });
}

const isForm = ({ headers }: Request): boolean =>
  /^(multipart\/form-data|application\/x-www-form-urlencoded)/i.test(headers.get('content-type') ?? '');

/** Whether a text or filename has U+FFFD, by which form parsers replace invalid UTF-8. */
const hasReplacementChar = (params: unknown): boolean =>
  JSON.stringify(params, (_key, value) =>
    typeof value?.stream === 'function' ? value.name : value,
  ).includes('\ufffd');

/**
 * Whether curl sent `-d '{"query":…}'` without a content type: a form without a query, whose one field name is the
 * JSON.
 */
const isEmpty = (params: Parsed): boolean =>
  [params].flat().every((one) => 'query' in one && one.query === undefined && one.extensions === undefined);

const sendJson = (status: number) =>
  refusal(
    'INVALID_INPUT',
    'The request has no query that can be read. Send JSON, with the header Content-Type: application/json.',
    status,
  );

const unreadable = ({ method }: Request) => {
  const why =
    method === 'GET'
      ? 'variables and extensions in its address must be JSON.'
      : 'its body is not what its Content-Type says.';
  return refusal('INVALID_INPUT', `The request cannot be read: ${why}`, 400);
};
