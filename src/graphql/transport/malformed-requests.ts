import { isUtf8 } from 'node:buffer';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { encodeInUtf8, isCompressed, sendUncompressed } from '../../lib/read-body.ts';
import { limitExceeded } from '../execution/limits/query-limits.ts';
import { refusal } from '../execution/mask-error.ts';

/**
 * Reports whatever a request parser fails at as the request's own fault: a form whose operations are not
 * operations, a map that leads nowhere, a body that broke off.
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
        const asked = await requestParser(readStrictly(request));
        checkParams(request, asked);
        return asked;
      } catch (error) {
        throw faultOf(error, request, maxBodyBytes);
      }
    });
  },
});

type Parsed = GraphQLParams | GraphQLParams[] | Response;

function checkParams(request: Request, asked: Parsed): void {
  // The operation in a form may be a number, or null.
  if (![asked].flat().every((one) => typeof one === 'object' && one)) throw unreadable();
  if (isEmptyForm(request, asked)) throw sendJson(400);
  if (isForm(request) && hasReplaced(asked)) throw refusal('BAD_REQUEST', encodeInUtf8, 400);
}

function faultOf(error: unknown, { method }: Request, maxBodyBytes: number): GraphQLError {
  if (!(error instanceof GraphQLError)) return method === 'GET' ? unreadableAddress() : unreadable();
  // The GraphQL server's own limit, for a body in chunks. How long it would have been, nobody knows.
  const isTooLong = error.extensions.code === 'REQUEST_ENTITY_TOO_LARGE';
  if (isTooLong) return bodyTooLong(maxBodyBytes, maxBodyBytes + 1);
  // It gives no status to the faults of a multipart form.
  error.extensions.http ??= { status: 400 };
  return error;
}

const bodyTooLong = (maxBytes: number, length: number) =>
  limitExceeded('bodyBytes', maxBytes, length, `The body has ${length} bytes`, 413, 'BODY_MAX_BYTES');

/**
 * The request, whose body is refused when it is not UTF-8, or not JSON. Its own methods put U+FFFD for bytes that
 * are not UTF-8, and that would be issued as if it had been sent; and their error repeats the whole body.
 */
function readStrictly(request: Request): Request {
  // A body that was parsed already, or none.
  if (request.body === null) return request;
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

/** Whether a text, or the name of a file, has the character that parsers of forms put for what is not UTF-8. */
const hasReplaced = (asked: unknown): boolean =>
  JSON.stringify(asked, (_key, value) => (typeof value?.stream === 'function' ? value.name : value)).includes(
    '\ufffd',
  );

/**
 * What curl makes of `-d '{"query":…}'` without a content type: a form without a query, with one strangely
 * named field.
 */
const isEmptyForm = ({ headers }: Request, asked: Parsed): boolean =>
  headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true &&
  [asked].flat().every((one) => 'query' in one && one.query === undefined && one.extensions === undefined);

const sendJson = (status: number) =>
  refusal(
    'INVALID_INPUT',
    'No query can be read here: send JSON, with the header Content-Type: application/json.',
    status,
  );

const unreadableAddress = () =>
  refusal(
    'INVALID_INPUT',
    'The request cannot be read: variables and extensions in its address must be JSON.',
    400,
  );

const unreadable = () =>
  refusal('INVALID_INPUT', 'The request cannot be read: its body is not what its Content-Type says.', 400);
