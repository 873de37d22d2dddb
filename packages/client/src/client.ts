import { type TypedDocument, textOf } from './document.ts';
import { isOpen, passes } from './errors.ts';
import { type FollowOptions, follow, type GatewayEvent } from './follow.ts';
import type { IssueEntryInput } from './generated/types.ts';
import { type Fetch, Http, type Operation, type Result, resultOf, type Token, usualFetch } from './http.ts';
import {
  type FinalIssuance,
  type IssueOptions,
  type Issuing,
  issue,
  NotIssuedError,
  resume,
} from './issue.ts';
import type { Platform } from './platform.ts';
import { assertMs, assertSignal, longestMs, type RetryOptions, retrying } from './retry.ts';
import { overSse, type Subscribe } from './sse.ts';
import { type Upload, type UploadOptions, upload } from './upload.ts';
import { overWebSocket, type SocketClass } from './websocket.ts';

/** Settings of a client. */
export interface ClientOptions extends Omit<RetryOptions, 'signal'> {
  /** The GraphQL endpoint, such as https://gateway.example/graphql. */
  url: string;
  /** The bearer token, or a function that returns the present one. Without a token the caller is anonymous. */
  token?: Token | (() => Token | Promise<Token>);
  /** Additional headers of each request, such as the issuance service's own. */
  headers?: Record<string, string> | undefined;
  fetch?: Fetch | undefined;
  /**
   * Time without an answer, or without progress of a transfer, until the call counts as lost. The default is a
   * minute.
   */
  timeoutMs?: number | undefined;
  /** Transport of subscriptions. The default is server-sent events. */
  transport?: 'sse' | 'websocket' | undefined;
  /** For `transport: 'websocket'` where there is no global WebSocket (Node before 22). */
  webSocketImpl?: SocketClass | undefined;
}

/** Arguments after the document. Variables may be left out when none is required. */
// biome-ignore lint/complexity/noBannedTypes: asks whether an empty object would do
type Rest<Variables, Options> = {} extends Variables
  ? [variables?: Variables | undefined, options?: Options]
  : [variables: Variables, options?: Options];

type Send<Options> = {
  <Data, Variables>(
    document: TypedDocument<Data, Variables>,
    ...rest: Rest<Variables, Options>
  ): Promise<Result<Data>>;
  <Data = unknown>(
    document: string,
    variables?: Record<string, unknown>,
    options?: Options,
  ): Promise<Result<Data>>;
};

/** Options of a mutation. */
export interface MutateOptions extends RetryOptions {
  /**
   * Whether to send the call again when its outcome is unknown. The default is true for an input with a
   * `requestId`.
   */
  repeat?: boolean | undefined;
}

/** A client of one gateway. */
export interface Client<Source> {
  /** Executes a query. Retries while the gateway, or a source that the whole query needs, is unavailable. */
  query: Send<RetryOptions>;
  /** Executes a mutation. Refusals are data, in its `userErrors`. */
  mutate: Send<MutateOptions>;
  /**
   * One connection of a subscription, without reconnection. `follow` and `issuance` reconnect by themselves.
   */
  subscribe<Data, Variables>(
    document: TypedDocument<Data, Variables> | string,
    variables?: Variables,
    signal?: AbortSignal,
  ): AsyncIterable<Result<Data>>;
  subscribe<Data = unknown>(
    document: string,
    variables?: Record<string, unknown>,
    signal?: AbortSignal,
  ): AsyncIterable<Result<Data>>;
  upload(source: Source, options: UploadOptions): Promise<Upload>;
  /** Issues records. Sends the call at once; then await `stored` or `done`, or iterate over `status`. */
  issue(entries: readonly IssueEntryInput[], options: IssueOptions): Issuing;
  /** Issues records and resolves when all are issued. Throws a `NotIssuedError` if some are not. */
  issueAndWait(entries: readonly IssueEntryInput[], options: IssueOptions): Promise<FinalIssuance>;
  /** Follows an issuance that was sent before, by this page before a reload or by another process. */
  issuance(key: { id: string } | { requestId: string }, options?: RetryOptions): Issuing;
  /**
   * Follows the event log with your own document. It must have the variables `$after`, `$from` and `$where`, and
   * select `cursor`.
   */
  // The first overload: TypeScript would take the event of a typed document for a `GatewayEvent` after the other.
  follow<Event>(
    options: FollowOptions<Event> & { document: TypedDocument<Record<string, Event>, never> | string },
  ): Promise<void>;
  /** Follows the event log: calls `onEvent` for each event, once and in order, until the signal aborts. */
  follow(options: FollowOptions<GatewayEvent>): Promise<void>;
}

/** Makes a client on the platform's HTTP and file access. */
export function clientOn<Source>(platform: Platform<Source>, options: ClientOptions): Client<Source> {
  const { url, token, headers, timeoutMs = 60_000, retryForMs, onRetry } = options;
  assertMs('timeoutMs', timeoutMs);
  assertMs('retryForMs', retryForMs);
  // A `Headers` object or a list of pairs would be ignored: their names are not properties.
  if (headers && Symbol.iterator in Object(headers))
    throw new TypeError("headers must be an object such as { 'x-name': 'value' }.");
  if (options.fetch && typeof options.fetch !== 'function') throw new TypeError('fetch must be a function.');
  const transport = options.transport ?? 'sse';
  if (transport !== 'sse' && transport !== 'websocket')
    throw new TypeError("transport must be 'sse' or 'websocket'.");
  const http = new Http({
    url,
    token,
    headers,
    timeoutMs: Math.min(longestMs, Math.ceil(timeoutMs)),
    fetch: options.fetch ?? usualFetch,
  });
  /** The options of a call, with the client's as defaults. */
  const patient = <Options extends RetryOptions>(options?: Options) => ({
    ...(options as Options),
    retryForMs: options?.retryForMs ?? retryForMs,
    onRetry: options?.onRetry ?? onRetry,
  });
  const execute = (operation: Operation, signal?: AbortSignal) => http.execute(operation, signal);
  const subscribe: Subscribe =
    transport === 'websocket'
      ? overWebSocket(http, options.webSocketImpl ?? (globalThis.WebSocket as SocketClass | undefined))
      : overSse(http);
  const deps = { http, platform, execute, subscribe };

  const query = (document: unknown, variables?: Variables, options?: RetryOptions) =>
    retrying(passes, () => execute(operationOf(document, variables), options?.signal), patient(options));
  const mutate = (document: unknown, variables?: Variables, options?: MutateOptions) => {
    const { repeat = hasRequestId(variables), ...others } = patient(options);
    const mayRepeat = repeat ? isOpen : refusedBefore;
    return retrying(mayRepeat, () => execute(operationOf(document, variables), others.signal), others);
  };
  const client: Client<Source> = {
    query: query as Client<Source>['query'],
    mutate: mutate as Client<Source>['mutate'],
    async *subscribe(document: unknown, variables?: unknown, signal?: AbortSignal) {
      assertSignal(signal);
      const operation = operationOf(document, variables as Variables);
      const until = signal ?? new AbortController().signal;
      for await (const raw of subscribe(operation, until)) yield resultOf(raw) as Result<never>;
    },
    upload: (source, options) => upload(deps, source, patient(options)),
    issue: (entries, options) => issue(deps, entries, patient(options)),
    async issueAndWait(entries, options) {
      const issuance = await client.issue(entries, options).done;
      if (issuance.entries.every(({ status }) => status === 'ISSUED')) return issuance;
      throw new NotIssuedError(issuance);
    },
    issuance: (key, options) => resume(deps, key, patient(options)),
    follow: <Event>(
      options: FollowOptions<Event> & { document?: TypedDocument<Record<string, Event>, never> | string },
    ) =>
      follow<Event>(
        { subscribe, query: ({ query: text, variables }, options) => query(text, variables, options) },
        { ...options, onRetry: options?.onRetry ?? onRetry },
        options?.document,
      ),
  };
  return client;
}

/** In JSON null means no variables. */
type Variables = { input?: { requestId?: unknown } | null } | null | undefined;

function operationOf(document: unknown, variables: Variables): Operation {
  const query = textOf(document);
  // GraphQL would ignore an undeclared variable, and the call could not be aborted.
  for (const one of [variables, (variables as { signal?: unknown } | null | undefined)?.signal])
    if (one instanceof AbortSignal)
      throw new TypeError('A signal is no variable: options come after the variables, which may be {}.');
  return { query, variables: variables ?? {} };
}

/** Whether the gateway recognises a repeated call, which it does by this field alone. */
const hasRequestId = (variables: Variables) => typeof variables?.input?.requestId === 'string';

/** Whether the request was refused before it had an effect, by the rate limit. */
const refusedBefore = (error: unknown): error is never =>
  (error as { code?: string }).code === 'RATE_LIMITED' && (error as { status?: number }).status === 429;
