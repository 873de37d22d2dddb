import type { GraphQLFormattedError } from 'graphql';
import { challenge, commonStatuses, HttpError } from '../lib/http-error.ts';
import { pathInVariables, type Variable } from '../operations/variables.ts';
import type { Endpoint } from './endpoints.ts';

/** One fault of a request, or one part of an answer that is missing. */
export interface Fault {
  code: string;
  /** For people: what is wrong, and what to do. */
  detail: string;
  /** The path or query parameter at fault. */
  parameter?: string;
  /** A JSON pointer to the fault, in the request body or in the answer. */
  pointer?: string;
  externalId?: string;
  upstreamMessage?: string;
  /** Seconds until there is room again, where that is known. */
  retryAfter?: number;
}

/** All others are 422: the input is well-formed, but the records cannot be issued. */
const statuses: Record<string, number> = {
  ...commonStatuses,
  INVALID_INPUT: 400,
  LIMIT_EXCEEDED: 400,
  IDEMPOTENCY_CONFLICT: 409,
  CURSOR_EXPIRED: 410,
  UNKNOWN_ERROR: 500,
};

/** Retry-After for too many records under way. The service mints hundreds a minute. */
const crowdedSeconds = 60;

const headersOf = (
  status: number,
  { retryAfter = crowdedSeconds }: Partial<Fault>,
): Record<string, string> => {
  if (status === 401) return challenge;
  return status === 429 ? { 'retry-after': String(retryAfter) } : {};
};

/**
 * The error that sends these faults as problem details. The first fault decides the status; `refused` is the status
 * of a code without its own.
 */
export function problem([first, ...others]: readonly Fault[], refused = 422): HttpError {
  const { code, detail, ...known } = first as Fault;
  const status = statuses[code] ?? refused;
  const errors = others.length > 0 ? { errors: [first, ...others] } : {};
  return new HttpError(status, detail, headersOf(status, known), code, { ...known, ...errors });
}

/** A place in the body of a request, or in an answer, as RFC 9457 writes it. */
export const pointer = (path: readonly (string | number)[]): string =>
  `#${path.map((one) => `/${encodeURIComponent(escaped(String(one)))}`).join('')}`;

const escaped = (name: string) => name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');

/** The place of an input: a pointer into the body of a POST, else the name of the parameter. */
export function inputPlace(
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
    ...(inVariables && inputPlace(endpoint, inVariables)),
    ...(externalId !== null && { externalId }),
    ...(upstreamMessage !== null && { upstreamMessage }),
  };
}

/** Converts a GraphQL error to a fault, with its place in the input and its other extensions. */
export function faultOfError(endpoint: Endpoint, error: GraphQLFormattedError): Fault {
  const { code = 'UNKNOWN_ERROR', inputPath, http: _, ...known } = error.extensions ?? {};
  const path = Array.isArray(inputPath) ? pathInVariables(endpoint.variables, inputPath) : undefined;
  return { ...known, code: String(code), detail: error.message, ...(path && inputPlace(endpoint, path)) };
}
