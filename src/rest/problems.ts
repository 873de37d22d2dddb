import type { GraphQLFormattedError } from 'graphql';
import { commonStatuses, HttpError } from '../lib/http-error.ts';
import { pathInVariables, type Variable } from '../operations/variables.ts';
import type { Endpoint } from './endpoints.ts';

/** One fault of a request, or one part of an answer that is missing. */
export interface Fault {
  code: string;
  /** For people: what is wrong, and what to do. */
  detail: string;
  /** The path or query parameter at fault. */
  parameter?: string;
  /** A JSON pointer to the fault in the body of the request, or to the missing part of the answer. */
  pointer?: string;
  externalId?: string;
  upstreamMessage?: string;
  /** Seconds after which to try again, where that is known. */
  retryAfter?: number;
}

/** All other codes are 422: the input can be read, but the records cannot be issued. */
const statuses: Record<string, number> = {
  ...commonStatuses,
  INVALID_INPUT: 400,
  LIMIT_EXCEEDED: 400,
  IDEMPOTENCY_CONFLICT: 409,
  CURSOR_EXPIRED: 410,
  UNKNOWN_ERROR: 500,
};

/** For too many records in flight. The service mints hundreds a minute, so by then others can be accepted. */
const inFlightRetrySeconds = 60;

const headersOf = (
  status: number,
  { retryAfter = inFlightRetrySeconds }: Partial<Fault>,
): Record<string, string> => (status === 429 ? { 'retry-after': String(retryAfter) } : {});

/**
 * The error that answers with these faults as problem details. The first fault decides the status, if its code has one
 * of its own; `otherwise` is the status for all other codes.
 */
export function problem([first, ...others]: readonly Fault[], otherwise = 422): HttpError {
  const { code, detail, ...details } = first as Fault;
  const status = statuses[code] ?? otherwise;
  const errors = others.length > 0 ? { errors: [first, ...others] } : {};
  return new HttpError(status, detail, headersOf(status, details), code, { ...details, ...errors });
}

/** A JSON pointer into the body of a request or into an answer, in the form of RFC 9457. */
export const pointer = (path: readonly (string | number)[]): string =>
  `#${path.map((one) => `/${encodeURIComponent(escaped(String(one)))}`).join('')}`;

const escaped = (name: string) => name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');

/** The place of a faulty input: a pointer into the body of a POST, or else the name of a parameter. */
export function inputLocation(
  { method, variables }: Pick<Endpoint, 'method' | 'variables'>,
  path: readonly string[],
): Pick<Fault, 'pointer' | 'parameter'> {
  if (method === 'POST') return { pointer: pointer(path) };
  return variables.some(({ name }: Variable) => name === path[0]) ? { parameter: path[0] as string } : {};
}

/** A fault of a mutation's input, as the documents select it. */
export interface UserError {
  code: string;
  message: string;
  path: string[] | null;
  externalId: string | null;
  upstreamMessage: string | null;
}

/** A fault that a mutation returned as data. */
export function faultOfData(
  endpoint: Endpoint,
  { code, message, path, externalId, upstreamMessage }: UserError,
): Fault {
  const inVariables = path && pathInVariables(endpoint.variables, path);
  return {
    code,
    detail: message,
    ...(inVariables && inputLocation(endpoint, inVariables)),
    ...(externalId !== null && { externalId }),
    ...(upstreamMessage !== null && { upstreamMessage }),
  };
}

/** The fault of a GraphQL error: its code, its place in the input, and the other extensions. */
export function faultOfError(endpoint: Endpoint, error: GraphQLFormattedError): Fault {
  const { code = 'UNKNOWN_ERROR', inputPath, ...others } = error.extensions ?? {};
  const path = Array.isArray(inputPath) ? pathInVariables(endpoint.variables, inputPath) : undefined;
  return { ...others, code: String(code), detail: error.message, ...(path && inputLocation(endpoint, path)) };
}
