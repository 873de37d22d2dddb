import { type TypedDocument, textOf } from './document.ts';
import { isOpen, passes } from './errors.ts';
import { type FollowOptions, follow, type GatewayEvent } from './follow.ts';
import type { IssueEntryInput } from './generated/types.ts';
import { type Fetch, Http, type Operation, type Result, resultOf } from './http.ts';
import {
  type FinalIssuance,
  type IssueOptions,
  type Issuing,
  issue,
  NotIssuedError,
  resume,
} from './issue.ts';
import type { Platform } from './platform.ts';
import { type RetryOptions, retrying } from './retry.ts';
import { overSse, type Subscribe } from './sse.ts';
import { type Upload, type UploadOptions, upload } from './upload.ts';
import { overWebSocket, type SocketClass } from './websocket.ts';

export interface ClientOptions extends Omit<RetryOptions, 'signal'> {
  /** The GraphQL endpoint, such as https://gateway.example/graphql. */
  url: string;
  /** The bearer token, or a function that brings the one to use now. */
  token?: string | (() => string | Promise<string>);
  /** More headers for each request, such as those of the issuance service. */
  headers?: Record<string, string>;
  fetch?: Fetch;
  /** How long an answer may take, or a transfer stand still, before it counts as lost. A minute unless set. */
  timeoutMs?: number;
  /** How subscriptions connect. The default is server-sent events. */
  transport?: 'sse' | 'websocket';
  /** For `transport: 'websocket'` where there is no global WebSocket (Node before 22). */
  webSocketImpl?: SocketClass;
}

/** Variables may be left out when none is required. */
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

export interface MutateOptions extends RetryOptions {
  /** Whether a call whose outcome is open may be sent again. The default is yes for an input with a `requestId`. */
  repeat?: boolean;
}

export interface Client<Source> {
  /** A query: made again while the gateway, or what it needs for all of it, is away. */
  query: Send<RetryOptions>;
  /** A mutation. What the gateway refuses is in its `userErrors`, which are data. */
  mutate: Send<MutateOptions>;
  /** One connection of a subscription, as it is: `follow` and `issuance` come back by themselves. */
  subscribe<Data, Variables>(
    document: TypedDocument<Data, Variables> | string,
    variables?: Variables,
    signal?: AbortSignal,
  ): AsyncIterable<Result<Data>>;
  upload(source: Source, options: UploadOptions): Promise<Upload>;
  /** Issues records. Sends at once; await `stored`, `done` or the status. */
  issue(entries: readonly IssueEntryInput[], options: IssueOptions): Issuing;
  /** Issues records and resolves when all are issued; else throws a `NotIssuedError`. */
  issueAndWait(entries: readonly IssueEntryInput[], options: IssueOptions): Promise<FinalIssuance>;
  /** An issuance that was sent before: by this page before its reload, or by another process. */
  issuance(key: { id: string } | { requestId: string }, options?: RetryOptions): Issuing;
  /** Each event of the log once and in order, for as long as the signal lets it. */
  follow(options: FollowOptions<GatewayEvent>): Promise<void>;
  /** The same with your own selection: it takes `$after`, `$from` and `$where`, and selects `cursor`. */
  follow<Event>(
    options: FollowOptions<Event> & { document: TypedDocument<Record<string, Event>, never> | string },
  ): Promise<void>;
}

export function clientOn<Source>(platform: Platform<Source>, options: ClientOptions): Client<Source> {
  const { url, token, headers, timeoutMs = 60_000, retryForMs, onRetry } = options;
  const http = new Http({
    url,
    token,
    headers,
    timeoutMs,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  });
  const patience = { ...(retryForMs !== undefined && { retryForMs }), ...(onRetry && { onRetry }) };
  const execute = (operation: Operation, signal?: AbortSignal) => http.execute(operation, signal);
  const subscribe: Subscribe =
    options.transport === 'websocket'
      ? overWebSocket(http, options.webSocketImpl ?? (globalThis.WebSocket as SocketClass))
      : overSse(http);
  const deps = { http, platform, execute, subscribe };

  const query = (document: unknown, variables: object = {}, options: RetryOptions = {}) =>
    retrying(passes, () => execute({ query: textOf(document), variables }, options.signal), {
      ...patience,
      ...options,
    });
  const mutate = (document: unknown, variables: object = {}, options: MutateOptions = {}) => {
    const { repeat = hasRequestId(variables), ...others } = options;
    const mayRepeat = repeat ? isOpen : refusedBefore;
    return retrying(mayRepeat, () => execute({ query: textOf(document), variables }, options.signal), {
      ...patience,
      ...others,
    });
  };
  const client: Client<Source> = {
    query: query as Client<Source>['query'],
    mutate: mutate as Client<Source>['mutate'],
    async *subscribe(document, variables = {} as never, signal = new AbortController().signal) {
      const operation = { query: textOf(document), variables: variables as object };
      for await (const raw of subscribe(operation, signal)) yield resultOf(raw) as Result<never>;
    },
    upload: (source, options) => upload(deps, source, { ...patience, ...options }),
    issue: (entries, options) => issue(deps, entries, { ...patience, ...options }),
    async issueAndWait(entries, options) {
      const issuance = await client.issue(entries, options).done;
      if (issuance.entries.every(({ status }) => status === 'ISSUED')) return issuance;
      throw new NotIssuedError(issuance);
    },
    issuance: (key, options) => resume(deps, key, { ...patience, ...options }),
    follow: <Event>(
      options: FollowOptions<Event> & { document?: TypedDocument<Record<string, Event>, never> | string },
    ) =>
      follow<Event>(
        { subscribe, query: ({ query: text, variables }) => query(text, variables) },
        { ...(onRetry && { onRetry }), ...options },
        options.document,
      ),
  };
  return client;
}

/** The one field by which the gateway recognises a call that is repeated. */
const hasRequestId = (variables: { input?: { requestId?: unknown } }) =>
  typeof variables.input?.requestId === 'string';

/** A request beyond the rate limit is refused before anything is done. */
const refusedBefore = (error: unknown): error is never =>
  (error as { code?: string }).code === 'RATE_LIMITED' && (error as { status?: number }).status === 429;
