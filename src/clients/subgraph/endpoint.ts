import type { Logger } from '@srr-gateway/common/log';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { ClientError, GraphQLClient } from 'graphql-request';
import { excerpt, retryAfterMs } from '../failure.ts';
import { type HttpAnswer, type HttpClient, HttpFailure } from '../http.ts';
import { createResilience, type Resilience } from '../resilience.ts';
import { readErrors, SubgraphError } from './failure.ts';
import { getSdk, type Sdk } from './generated.ts';
import { OlderSchema } from './older-schema.ts';

type Reply<T> = Promise<{ data: T; errors?: readonly { message: string }[] }>;

/** Sends an operation given as text, for those that are composed at run time. */
export type Send = <T>(query: string, variables: Record<string, unknown>) => Reply<T>;

/** One query, by a generated function or as text. */
export type Ask<T> = (sdk: Sdk, send: Send) => Reply<T>;

/** The answer of an endpoint. */
export interface Asked<T> {
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
  ask<T>(question: Ask<T>, signal?: AbortSignal): Promise<Asked<T>>;
}

// 1,000 records with their joined records are about 2 MB; a hundred children each may take far more.
const maxAnswerBytes = 64 * 1024 * 1024;
/** A subgraph may be upgraded at any time. After this long the gateway asks for all fields again. */
const olderSchemaMs = 10 * 60_000;

/** Settings of one address of the subgraph. */
export interface EndpointOptions {
  url: string;
  apiKey?: string | undefined;
  http: HttpClient;
  log: Logger;
  timeoutMs: number;
}

/** Makes the client of one address. If its schema is older than ours, queries are cut to that schema. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { url, log } = options;
  const { host } = new URL(url);
  const guard: Resilience = createResilience({
    upstream: 'SUBGRAPH',
    log,
    host,
    retries: 0,
    counts: (error) => error instanceof SubgraphError && error.unwell,
  });
  /** Set after this endpoint has refused a query that only a newer schema accepts. */
  let schema: OlderSchema | undefined;
  let learnedAt = 0;
  const askAnyVersion = async <T>(question: Ask<T>, signal?: AbortSignal): Promise<Asked<T>> => {
    if (schema && Date.now() - learnedAt > olderSchemaMs) schema = undefined;
    const believed = schema;
    try {
      return { ...(await ask(options, question, signal, believed)), trimmed: believed !== undefined };
    } catch (error) {
      if (!(error instanceof SubgraphError) || error.kind !== 'OTHER_SCHEMA' || believed) throw error;
      // A concurrent query may have learned the schema meanwhile.
      schema ??= await learnSchema(options, signal);
      if (!schema) throw error;
      learnedAt = Date.now();
      return { ...(await ask(options, question, signal, schema)), trimmed: true };
    }
  };
  return { host, ask: (question, signal) => guard.once((live) => askAnyVersion(question, live), signal) };
}

/** Asks the subgraph for its schema; undefined when it does not answer that. */
async function learnSchema(options: EndpointOptions, signal?: AbortSignal): Promise<OlderSchema | undefined> {
  const { url, log } = options;
  try {
    const { data: introspection } = await ask(
      options,
      (_sdk, send) => send<IntrospectionQuery>(getIntrospectionQuery(), {}),
      signal,
    );
    log.warn(
      { upstream: 'SUBGRAPH', host: new URL(url).host },
      'the index refused a query; from now on it is asked by its own schema',
    );
    return new OlderSchema(introspection);
  } catch {
    return undefined;
  }
}

async function ask<T>(
  options: EndpointOptions,
  question: Ask<T>,
  signal?: AbortSignal,
  schema?: OlderSchema,
): Promise<{ data: T; bytes: number }> {
  const { url, apiKey } = options;
  let bytes = 0;
  const client = new GraphQLClient(url, {
    fetch: viaPool(options, schema, signal, (answer) => {
      bytes = answer.body.length;
    }),
    // Do not throw on errors: they are read below, and some come with data that can be used.
    errorPolicy: 'all',
    // Each document has one operation; finding its name would parse the document on every call.
    excludeOperationName: true,
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
  });
  try {
    const { data, errors = [] } = await question(getSdk(client), (query, variables) =>
      client.rawRequest(query, variables),
    );
    // Queries ask for data in spite of indexing errors, and report them in hasIndexingErrors.
    const serious = errors.map(({ message }) => message).filter((message) => message !== 'indexing_error');
    if (serious.length > 0) throw readErrors(serious);
    if (!data) throw readErrors(errors.map(({ message }) => message));
    return { data, bytes };
  } catch (error) {
    throw translate(options, error);
  }
}

function translate({ log, url }: EndpointOptions, error: unknown): unknown {
  if (error instanceof SubgraphError) return error;
  if (error instanceof HttpFailure) {
    if (error.kind === 'ABORTED') return error.cause;
    const kind = { TIMEOUT: 'TIMEOUT', TOO_LARGE: 'BAD_ANSWER' } as const;
    return new SubgraphError(error.kind in kind ? kind[error.kind as keyof typeof kind] : 'UNREACHABLE', {
      cause: error,
    });
  }
  const { host } = new URL(url);
  if (error instanceof ClientError) {
    const { status, errors, headers, body } = error.response;
    const wait = retryAfterMs(Object.fromEntries(headers as Headers));
    if (status === 429) return new SubgraphError('RATE_LIMITED', { status, retryAfterMs: wait });
    if (status === 401 || status === 403) return new SubgraphError('UNAUTHORISED', { status });
    if (errors && errors.length > 0) return readErrors(errors.map(({ message }) => message));
    log.warn(
      { upstream: 'SUBGRAPH', host, status, excerpt: excerpt(Buffer.from(body)) },
      'no GraphQL answer',
    );
    if (status === 404) return new SubgraphError('NOT_DEPLOYED', { status });
    return new SubgraphError(status >= 500 ? 'UNREACHABLE' : 'BAD_ANSWER', { status, retryAfterMs: wait });
  }
  log.warn({ upstream: 'SUBGRAPH', host, why: (error as Error).message }, 'answer not understood');
  return new SubgraphError('BAD_ANSWER');
}

/**
 * A `fetch` for graphql-request over our pool, with size limit, time-out and the caller's signal. With an
 * older schema it asks only for what that schema has, and returns the lists that it lacks as empty.
 */
function viaPool(
  { http, timeoutMs }: EndpointOptions,
  schema: OlderSchema | undefined,
  signal: AbortSignal | undefined,
  answered: (answer: HttpAnswer) => void,
): typeof fetch {
  return async (url, init) => {
    const whole = init?.body as string;
    const trimmed = schema?.trimBody(whole);
    const answer = await http.send({
      method: 'POST',
      url: String(url),
      headers: Object.fromEntries(init?.headers as Headers),
      body: trimmed?.body ?? whole,
      timeoutMs,
      maxBytes: maxAnswerBytes,
      signal,
    });
    answered(answer);
    return new WholeResponse(answer, trimmed?.absent) as unknown as Response;
  };
}

/**
 * As much of a `Response` as graphql-request reads, over an answer that is in memory already. A real one
 * would copy headers and body through streams, for each request.
 */
class WholeResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly #answer: HttpAnswer;
  readonly #absent: string[];

  constructor(answer: HttpAnswer, absent: string[] = []) {
    this.ok = answer.status >= 200 && answer.status < 300;
    this.status = answer.status;
    this.headers = new Headers(answer.headers);
    this.#answer = answer;
    this.#absent = absent;
  }

  async text(): Promise<string> {
    const text = this.#answer.body.toString();
    if (this.#absent.length === 0) return text;
    const answer = JSON.parse(text) as { data?: object | null };
    const empty = Object.fromEntries(this.#absent.map((name) => [name, []]));
    return JSON.stringify({ ...answer, ...(answer.data && { data: { ...empty, ...answer.data } }) });
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}
