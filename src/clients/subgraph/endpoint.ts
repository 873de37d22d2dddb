import type { Logger } from '@srr-gateway/common/log';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { ClientError, GraphQLClient } from 'graphql-request';
import { excerpt, retryAfterMs } from '../failure.ts';
import { type HttpAnswer, type HttpClient, HttpFailure } from '../http.ts';
import { createResilience, type Resilience } from '../resilience.ts';
import { readErrors, SubgraphError } from './failure.ts';
import { getSdk, type Sdk } from './generated.ts';
import { OlderSchema } from './older-schema.ts';
import { trimmingFetch } from './schema-compatibility.ts';

type Reply<T> = Promise<{ data: T; errors?: readonly { message: string }[] }>;

/** Sends an operation given as text, for those that are composed at run time. */
export type Send = <T>(query: string, variables: Record<string, unknown>) => Reply<T>;

/** One query, by a generated function or as text. */
export type Ask<T> = (sdk: Sdk, send: Send) => Reply<T>;

/** One address of the subgraph. */
export interface Endpoint {
  host: string;
  /** Asks once. @throws SubgraphError; UpstreamError while the breaker is open; or the signal's reason. */
  ask<T>(question: Ask<T>, signal?: AbortSignal): Promise<T>;
}

// 1,000 records with their joined records are about 2 MB; a hundred children each may take far more.
const maxAnswerBytes = 64 * 1024 * 1024;

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
  const askAnyVersion = async <T>(question: Ask<T>, signal?: AbortSignal): Promise<T> => {
    const believed = schema;
    try {
      return await ask(options, question, signal, believed);
    } catch (error) {
      if (!(error instanceof SubgraphError) || error.kind !== 'OTHER_SCHEMA' || believed) throw error;
      // A concurrent query may have learned the schema meanwhile.
      schema ??= await learnSchema(options, signal);
      if (!schema) throw error;
      return ask(options, question, signal, schema);
    }
  };
  return { host, ask: (question, signal) => guard.once((live) => askAnyVersion(question, live), signal) };
}

/** Asks the subgraph for its schema; undefined when it does not answer that. */
async function learnSchema(options: EndpointOptions, signal?: AbortSignal): Promise<OlderSchema | undefined> {
  const { url, log } = options;
  try {
    const introspection = await ask(
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
): Promise<T> {
  const { url, apiKey } = options;
  const pooled = viaPool(options, signal);
  const client = new GraphQLClient(url, {
    fetch: schema ? trimmingFetch(schema, pooled) : pooled,
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
    return data;
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

/** A `fetch` for graphql-request over our pool, with size limit, time-out and the caller's signal. */
function viaPool({ http, timeoutMs }: EndpointOptions, signal?: AbortSignal): typeof fetch {
  return async (url, init) => {
    const answer = await http.send({
      method: 'POST',
      url: String(url),
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: init?.body as string,
      timeoutMs,
      maxBytes: maxAnswerBytes,
      signal,
    });
    return new WholeResponse(answer);
  };
}

/** A response already in memory: reading it skips the streams that a `Response` otherwise goes through. */
class WholeResponse extends Response {
  readonly #body: Buffer;

  constructor({ status, headers, body }: HttpAnswer) {
    super(null, { status, headers });
    this.#body = body;
  }

  override async text(): Promise<string> {
    return this.#body.toString();
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}
