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

/** Sends an operation that is written out when it is needed. */
export type Send = <T>(query: string, variables: Record<string, unknown>) => Reply<T>;

/** One query: of the generated ones, or written out. */
export type Ask<T> = (sdk: Sdk, send: Send) => Reply<T>;

/** One address of the index. */
export interface Endpoint {
  host: string;
  /** Asks once. @throws SubgraphError; or UpstreamError while its circuit is open. */
  ask<T>(question: Ask<T>, signal?: AbortSignal): Promise<T>;
}

// 1,000 records with their neighbours are about 2 MB; a hundred children each may be more.
const maxAnswerBytes = 64 * 1024 * 1024;

export interface EndpointOptions {
  url: string;
  apiKey?: string | undefined;
  http: HttpClient;
  log: Logger;
  timeoutMs: number;
}

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
  /** Known once a question was refused that another version of the index would have taken. */
  let schema: OlderSchema | undefined;
  const askAnyVersion = async <T>(question: Ask<T>, signal?: AbortSignal): Promise<T> => {
    const believed = schema;
    try {
      return await ask(options, question, signal, believed);
    } catch (error) {
      if (!(error instanceof SubgraphError) || error.kind !== 'OTHER_SCHEMA' || believed) throw error;
      // Another question may have found it out meanwhile.
      schema ??= await learnSchema(options, signal);
      if (!schema) throw error;
      return ask(options, question, signal, schema);
    }
  };
  return { host, ask: (question, signal) => guard.once((live) => askAnyVersion(question, live), signal) };
}

/** Undefined when the index does not tell. */
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
    // The errors are read here; some come with data.
    errorPolicy: 'all',
    // Only the operation itself is in each document, and finding its name would parse it each time.
    excludeOperationName: true,
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
  });
  try {
    const { data, errors = [] } = await question(getSdk(client), (query, variables) =>
      client.rawRequest(query, variables),
    );
    // The index was told to answer in spite of its errors; hasIndexingErrors tells the reader of them.
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

/** The client's `fetch`, over our pool: with its limits, its time-out, and the caller's signal. */
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

/** A response that was read whole: its text needs none of the streams that a response is else read through. */
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
