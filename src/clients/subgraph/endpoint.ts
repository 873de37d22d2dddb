import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { excerpt, retryAfterMs } from '../failure.ts';
import { type HttpAnswer, type HttpClient, HttpFailure } from '../http.ts';
import { createResilience, type Resilience } from '../resilience.ts';
import { readErrors, SubgraphError } from './failure.ts';
import { getSdk, type Sdk } from './generated.ts';
import { OlderSchema } from './older-schema.ts';

type Reply<T> = Promise<{ data: T; errors?: readonly { message: string }[] }>;

/** Sends the body of a request as it is, for operations that are composed at run time. */
export type Send = <T>(body: string) => Reply<T>;

/** One query, by a generated function or as text. `sdk` makes the generated functions. */
export type Query<T> = (sdk: () => Sdk, send: Send) => Reply<T>;

/** The answer of an endpoint. */
export interface QueryResult<T> {
  data: T;
  /** Length of the answer as it was sent. */
  bytes: number;
  /** Whether it lacks fields that the endpoint's older schema does not have. */
  trimmed: boolean;
}

/** One address of the subgraph. */
export interface Endpoint {
  host: string;
  /** Asks once. @throws SubgraphError; UpstreamError while the breaker is open; or the signal's reason. */
  ask<T>(question: Query<T>, signal?: AbortSignal): Promise<QueryResult<T>>;
}

// 1,000 records with their joined records are about 2 MB; a hundred children each may take far more.
const maxAnswerBytes = 64 * 1024 * 1024;
/** A subgraph may be upgraded at any time. After this long the gateway asks for all fields again. */
const olderSchemaMs = 10 * 60_000;

/** Settings of one address of the subgraph. */
export interface EndpointOptions {
  url: URL;
  apiKey?: string | undefined;
  http: HttpClient;
  log: Logger;
  timeoutMs: number;
}

/** One address, with the headers of every request to it. */
type Address = EndpointOptions & {
  headers: Record<string, string>;
  /** Answers that are not GraphQL: of a wrong address, or without the key. New blocks are polled for twice a second. */
  outage: OutageLog;
};

/** Makes the client of one address. If its schema is older than ours, queries are cut to that schema. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { log, apiKey } = options;
  const { host } = options.url;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const outage = new OutageLog(log.child({ upstream: 'SUBGRAPH', host }), 'SUBGRAPH_URL: no GraphQL answer');
  const address: Address = { ...options, headers, outage };
  const resilience: Resilience = createResilience({
    upstream: 'SUBGRAPH',
    log,
    host,
    retries: 0,
    counts: (error) => error instanceof SubgraphError && error.unhealthy,
  });
  /** Set after this endpoint has refused a query that only a newer schema accepts. */
  let schema: OlderSchema | undefined;
  let learnedAt = 0;
  const askAnyVersion = async <T>(question: Query<T>, signal?: AbortSignal): Promise<QueryResult<T>> => {
    if (schema && performance.now() - learnedAt > olderSchemaMs) schema = undefined;
    const known = schema;
    try {
      return await ask(address, question, signal, known);
    } catch (error) {
      if (!(error instanceof SubgraphError) || error.kind !== 'OTHER_SCHEMA' || known) throw error;
      // A concurrent query may have learned the schema meanwhile.
      schema ??= await learnSchema(address, signal);
      if (!schema) throw error;
      learnedAt = performance.now();
      return ask(address, question, signal, schema);
    }
  };
  return {
    host,
    ask: (question, signal) => resilience.once((live) => askAnyVersion(question, live), signal),
  };
}

/** Asks the subgraph for its schema; undefined when it does not answer that. */
async function learnSchema(address: Address, signal?: AbortSignal): Promise<OlderSchema | undefined> {
  const { url, log } = address;
  try {
    const { data: introspection } = await ask(
      address,
      (_sdk, send) => send<IntrospectionQuery>(JSON.stringify({ query: getIntrospectionQuery() })),
      signal,
    );
    log.warn(
      { upstream: 'SUBGRAPH', host: url.host },
      'the subgraph has an older schema; from now on it is asked only for the fields that it has',
    );
    return new OlderSchema(introspection);
  } catch {
    return undefined;
  }
}

async function ask<T>(
  address: Address,
  question: Query<T>,
  signal?: AbortSignal,
  schema?: OlderSchema,
): Promise<QueryResult<T>> {
  let bytes = 0;
  const send = async (body: string) => {
    const { text, length } = await post(address, body, schema, signal);
    bytes = length;
    return text;
  };
  try {
    const { data, errors = [] } = await question(
      () => sdkOver(address.url, send),
      async (body) => graphQLAnswer(await send(body)),
    );
    // Queries ask for data in spite of indexing errors, and report them in hasIndexingErrors.
    const serious = errors.map(({ message }) => message).filter((message) => message !== 'indexing_error');
    if (serious.length > 0) throw readErrors(serious);
    if (!data) throw readErrors(errors.map(({ message }) => message));
    address.outage.succeeded();
    return { data, bytes, trimmed: schema !== undefined };
  } catch (error) {
    throw translate(address, error);
  }
}

/** @throws Error when the text is no answer of a GraphQL server. */
function graphQLAnswer(text: string): Awaited<Reply<never>> {
  const answer: unknown = JSON.parse(text);
  if (typeof answer === 'object' && answer !== null && ('data' in answer || 'errors' in answer))
    return answer as Awaited<Reply<never>>;
  throw new Error('it has neither data nor errors');
}

/** The generated calls. A list that is composed at run time does without them. */
const sdkOver = ({ href }: URL, send: (body: string) => Promise<string>): Sdk =>
  getSdk(
    new GraphQLClient(href, {
      fetch: async (_url, { body }: RequestInit = {}) =>
        new Response(await send(body as string), { headers: { 'content-type': 'application/json' } }),
      // Do not throw on errors: `ask` reads them, and some come with data that can be used.
      errorPolicy: 'all',
      // Each document has one operation; finding its name would parse the document on every call.
      excludeOperationName: true,
    }),
  );

/** Sends a body and returns the answer's. With an older schema it asks only for what that schema has. */
async function post(
  address: Address,
  body: string,
  schema: OlderSchema | undefined,
  signal: AbortSignal | undefined,
): Promise<{ text: string; length: number }> {
  const { url, headers, http, timeoutMs } = address;
  const trimmed = schema?.trimBody(body);
  const answer = await http.send({
    method: 'POST',
    url,
    headers,
    body: trimmed?.body ?? body,
    timeoutMs,
    maxBytes: maxAnswerBytes,
    signal,
  });
  if (answer.status < 200 || answer.status >= 300) throw refused(address, answer);
  const text = answer.body.toString();
  const absent = trimmed?.absent ?? [];
  return { text: absent.length > 0 ? withEmpty(text, absent) : text, length: answer.body.length };
}

/** The answer with the lists that the older schema lacks, empty. */
function withEmpty(text: string, absent: string[]): string {
  const answer = JSON.parse(text) as { data?: object | null };
  const empty = Object.fromEntries(absent.map((name) => [name, []]));
  return JSON.stringify({ ...answer, ...(answer.data && { data: { ...empty, ...answer.data } }) });
}

/** What an answer means that is no success. */
function refused({ outage }: Address, { status, headers, body }: HttpAnswer): SubgraphError {
  const wait = retryAfterMs(headers);
  if (status === 429) return new SubgraphError('RATE_LIMITED', { status, retryAfterMs: wait });
  const isUnauthorised = status === 401 || status === 403;
  const errors = isUnauthorised ? [] : errorsIn(body);
  if (errors.length > 0) return readErrors(errors);
  outage.failed(new Error(`status ${status}: ${excerpt(body)}`));
  if (isUnauthorised) return new SubgraphError('UNAUTHORISED', { status });
  if (status === 404) return new SubgraphError('NOT_DEPLOYED', { status });
  return new SubgraphError(status >= 500 ? 'UNREACHABLE' : 'BAD_ANSWER', { status, retryAfterMs: wait });
}

/** The messages of a GraphQL answer; none when it is something else. */
function errorsIn(body: Buffer): string[] {
  try {
    const { errors } = JSON.parse(body.toString()) as { errors: { message: string }[] };
    return errors.map(({ message }) => message);
  } catch {
    return [];
  }
}

function translate({ outage }: Address, error: unknown): unknown {
  if (error instanceof SubgraphError) return error;
  if (error instanceof HttpFailure) {
    if (error.kind === 'ABORTED') return error.cause;
    const kind = { TIMEOUT: 'TIMEOUT', TOO_LARGE: 'BAD_ANSWER' } as const;
    return new SubgraphError(error.kind in kind ? kind[error.kind as keyof typeof kind] : 'UNREACHABLE', {
      cause: error,
    });
  }
  // The message alone: the library's error has the whole request as a property.
  outage.failed(new Error((error as Error).message));
  return new SubgraphError('BAD_ANSWER');
}
