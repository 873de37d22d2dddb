import type { IncomingMessage, ServerResponse } from 'node:http';
import { registerAbortSignalListener } from '@graphql-tools/utils';
import type { YogaInitialContext } from 'graphql-yoga';
import type { Authenticator } from '../../access/authenticate.ts';
import { anonymous, type Caller } from '../../access/caller.ts';
import type { RateState } from '../../access/rate-limiter.ts';
import {
  type CallerHeaders,
  credentialsOf,
  type RequestCredentials,
} from '../../access/request-credentials.ts';
import type { Catalog, CatalogRequest } from '../../catalog/catalog.ts';
import type { SourceCheck } from '../../clients/health.ts';
import type { EventLog } from '../../events/event-log.ts';
import type { Issuances } from '../../issuance/issuances.ts';
import { acceptedLanguages } from '../../lib/accept-header.ts';
import { challenge } from '../../lib/http-error.ts';
import { firstFault } from '../../lib/visible-fault.ts';
import { GatewayError } from '../../model/errors.ts';
import type { Pictures } from '../../pictures/pictures.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { Loaders } from './loaders.ts';
import { asGraphQLError, CallerLeft } from './mask-error.ts';

/** The services that resolvers may use. Made once, in `app/graphql-server.ts`. */
export interface Services {
  issuances: Issuances;
  events: EventLog;
  uploads: Uploads;
  pictures: Pictures;
  webhooks: Webhooks;
  sources: readonly SourceCheck[];
  /** Base address of the gateway as clients see it. */
  publicUrl(): string;
}

/** The context of one operation of one caller. */
export interface Context {
  services: Services;
  caller: Caller;
  /** Aborted when the caller goes away or the deadline passes. */
  signal: AbortSignal;
  /** From Accept-Language, preferred ones first. */
  languages: string[];
  /** Last-Event-ID of a client that resumes its event stream. */
  lastEventId: string | undefined;
  startedAt: Date;
  /** Cancels everything that the operation waits for, because its subscriber left or it took too long. */
  end(reason?: Error): void;
  /** Loaders of this operation, or of this event of a subscription. */
  loaders: Loaders;
}

/** The headers and credentials that an operation comes with. */
export interface OperationSource {
  headers: CallerHeaders;
  credentials: RequestCredentials;
  /** The request that opened the connection. */
  req: IncomingMessage;
  /** Absent on a connection that carries several operations. */
  res?: HeaderSink | undefined;
}

/** The server's response, to whose head headers can be added at any time. */
export interface HeaderSink {
  headersSent?: boolean;
  add?(...headers: string[]): void;
}

/** The headers and credentials of an HTTP request; `res` is its response when that is the operation's answer. */
export const sourceOf = (req: IncomingMessage, res?: ServerResponse & HeaderSink): OperationSource => ({
  headers: req.headers,
  credentials: credentialsOf(req),
  req,
  res,
});

/** State that the handler of prepared reads passes on when it delegates a request to the GraphQL server. */
export interface Handover {
  /** When the request arrived, by `performance.now()`. */
  receivedAt?: number;
  /** The caller's budget, which has been charged already. */
  charged?: RateState | undefined;
  /** The rows and documents that a prepared read has loaded. */
  reads?: CatalogRequest | undefined;
}

/**
 * The initial context that Yoga gets with an operation, over any transport. Plugins and resolvers find it in the
 * context.
 */
export interface ServerContext extends Handover {
  source: OperationSource;
}

export interface ContextDeps {
  services: Services;
  authenticator: Authenticator;
  catalog: Catalog;
}

export type Contexts = ReturnType<typeof contextFactory>;

/** Makes the context of an operation, and for each event of a subscription a copy with fresh loaders. */
export function contextFactory(deps: ContextDeps) {
  const { services } = deps;
  const contextOf = (
    caller: Caller | typeof everyCaller,
    headers: CallerHeaders,
    ending: { signal: AbortSignal; abort?(reason: Error): void },
    reads?: CatalogRequest,
  ): Context => {
    const loaders = new Loaders(deps, caller === everyCaller ? anonymous : caller, ending.signal, reads);
    return {
      services,
      caller: caller === everyCaller ? new SharedCaller(loaders) : caller,
      signal: ending.signal,
      languages: acceptedLanguages(textOf(headers['accept-language'])),
      lastEventId: textOf(headers['last-event-id']),
      startedAt: new Date(),
      end: (reason = new CallerLeft()) => ending.abort?.(reason),
      loaders,
    };
  };
  return {
    async create(initial: YogaInitialContext & ServerContext): Promise<Context> {
      const { headers, credentials, res } = initial.source;
      // The request was refused meanwhile because its body came too slowly, so it must not take effect.
      if (res?.headersSent) throw new CallerLeft();
      const caller = await deps.authenticator.caller(credentials).catch((error: unknown) => {
        throw error instanceof GatewayError ? unauthorized(error) : error;
      });
      const ending = new AbortController();
      // Only a request to Yoga itself has a `request`. `AbortSignal.any` would take ten times as long.
      if (initial.request)
        registerAbortSignalListener(initial.request.signal, () => ending.abort(new CallerLeft()));
      return contextOf(caller, headers, ending, initial.reads);
    },
    /** The context of a caller that is already authenticated. */
    of: contextOf,
    /** The context for one event of a subscription; `signal` ends its execution. */
    renew: (context: Context, signal: AbortSignal): Context => ({
      ...context,
      signal,
      startedAt: new Date(),
      loaders: new Loaders(deps, context.caller, signal),
    }),
    /** The catalog reads that several executions share. */
    reads: (signal: AbortSignal): CatalogRequest => deps.catalog.request(signal),
  };
}

/** Placeholder for the caller of an execution that several callers share. */
export const everyCaller = Symbol('everyCaller');

/**
 * The caller of a shared execution. A resolver that reads it sets `usesCaller`. A class, because a literal with a
 * getter takes 0.2 µs to create.
 */
class SharedCaller {
  readonly #loaders: Loaders;

  constructor(loaders: Loaders) {
    this.#loaders = loaders;
  }

  get kind() {
    this.#loaders.usesCaller = true;
    return anonymous.kind;
  }
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  (typeof header === 'string' && header) || undefined;

function unauthorized(error: GatewayError): Error {
  const graphqlError = asGraphQLError(firstFault(error));
  if (error.code === 'UNAUTHENTICATED') graphqlError.extensions.http = { status: 401, headers: challenge };
  return graphqlError;
}
