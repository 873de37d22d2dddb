import type { IncomingMessage } from 'node:http';
import type { YogaInitialContext } from 'graphql-yoga';
import type { Authenticator } from '../../access/authenticate.ts';
import { anonymous, type Caller, type IssuerCaller } from '../../access/caller.ts';
import {
  type CallerHeaders,
  credentialsOf,
  type RequestCredentials,
} from '../../access/request-credentials.ts';
import type { Catalog, CatalogRequest } from '../../catalog/catalog.ts';
import { type IssuanceLoaders, issuanceLoaders } from '../../issuance/issuance-loaders.ts';
import { acceptedValues } from '../../lib/accept-header.ts';
import { GatewayError } from '../../model/errors.ts';
import type { UploadSession } from '../../uploads/upload-session.ts';
import type { Context, Loaders, Services } from './context.ts';
import { asGraphQLError, CallerLeft } from './mask-error.ts';

/** What contexts are made from. */
export interface ContextDeps {
  services: Services;
  authenticator: Authenticator;
  catalog: Catalog;
}

/** The headers and credentials that an operation comes with. */
export interface OperationSource {
  headers: CallerHeaders;
  credentials: RequestCredentials;
}

/**
 * Over HTTP an operation comes with its request, elsewhere with `source` in place of one. `reads` is what a
 * prepared read has read already, before it left the operation to the GraphQL server.
 */
export type InitialContext = YogaInitialContext &
  ({ source: OperationSource } | { req: IncomingMessage }) &
  ReadsBefore;

/** What the handler of prepared reads hands on with a request that it leaves to the GraphQL server. */
export interface ReadsBefore {
  /** When the request came, as of `performance.now()`. */
  askedAt?: number;
  reads?: CatalogRequest | undefined;
}

export type Contexts = ReturnType<typeof contextFactory>;

/** Makes the context of an operation, and for each event of a subscription a copy with fresh loaders. */
export function contextFactory({ services, authenticator, catalog }: ContextDeps) {
  const loadersOf = (caller: Caller, signal: AbortSignal, reads?: CatalogRequest) =>
    new LazyLoaders(services, catalog, caller, signal, reads);
  const contextOf = (
    caller: Caller,
    headers: CallerHeaders,
    ending: AbortController,
    reads?: CatalogRequest,
  ): Context => ({
    ...services,
    caller,
    signal: ending.signal,
    languages: languagesOf(headers),
    lastEventId: textOf(headers['last-event-id']),
    startedAt: new Date(),
    end: (reason = new CallerLeft()) => ending.abort(reason),
    loaders: loadersOf(caller, ending.signal, reads),
  });
  return {
    async create(initial: InitialContext): Promise<Context> {
      const { headers, credentials } = 'source' in initial ? initial.source : sourceOf(initial.req);
      const caller = await authenticator.caller(credentials).catch((error: unknown) => {
        throw error instanceof GatewayError ? unauthorized(error) : error;
      });
      const ending = new AbortController();
      if (initial.request) endWith(initial.request.signal, ending);
      return contextOf(caller, headers, ending, initial.reads);
    },
    /** The context of a caller who is known already. */
    of: contextOf,
    /** The context for one event of a subscription; `signal` ends its execution. */
    renew: (context: Context, signal: AbortSignal): Context => ({
      ...context,
      signal,
      startedAt: new Date(),
      loaders: loadersOf(context.caller, signal),
    }),
    /** The context of an execution that several callers share. */
    forAll: (headers: CallerHeaders, signal: AbortSignal): Context =>
      new SharedContext(services, headers, signal, loadersOf(anonymous, signal)),
  };
}

/**
 * Acts for no caller. A resolver that looks at the caller sets `usesCaller`, and then the answer is not shared with
 * issuers. A class, because a getter in a literal is made anew for each request.
 */
class SharedContext implements Context {
  readonly issuances: Services['issuances'];
  readonly events: Services['events'];
  readonly uploads: Services['uploads'];
  readonly pictures: Services['pictures'];
  readonly sources: Services['sources'];
  readonly publicUrl: Services['publicUrl'];
  readonly signal: AbortSignal;
  readonly languages: string[];
  readonly lastEventId = undefined;
  readonly startedAt = new Date();
  readonly loaders: Loaders;

  constructor(services: Services, headers: CallerHeaders, signal: AbortSignal, loaders: Loaders) {
    this.issuances = services.issuances;
    this.events = services.events;
    this.uploads = services.uploads;
    this.pictures = services.pictures;
    this.sources = services.sources;
    this.publicUrl = services.publicUrl;
    this.signal = signal;
    this.languages = languagesOf(headers);
    this.loaders = loaders;
  }

  get caller() {
    this.loaders.usesCaller = true;
    return anonymous;
  }

  end() {}
}

/**
 * Creates each part when it is first used: most operations need one, and a subscription that waits needs
 * none.
 */
class LazyLoaders implements Loaders {
  readonly #services: Services;
  readonly #catalog: Catalog;
  readonly #issuer: IssuerCaller | undefined;
  readonly #signal: AbortSignal;
  #reads: CatalogRequest | undefined;
  #issuances: IssuanceLoaders | undefined;
  #uploads: UploadSession | undefined;
  #complete = true;
  usesCaller = false;

  constructor(
    services: Services,
    catalog: Catalog,
    caller: Caller,
    signal: AbortSignal,
    reads?: CatalogRequest,
  ) {
    this.#services = services;
    this.#catalog = catalog;
    this.#issuer = caller.kind === 'issuer' ? caller : undefined;
    this.#signal = signal;
    this.#reads = reads;
  }

  get complete(): boolean {
    return this.#complete && (this.#reads?.complete ?? true);
  }

  set complete(complete: boolean) {
    this.#complete = complete;
  }

  get reads(): CatalogRequest {
    this.#reads ??= this.#catalog.request(this.#signal);
    return this.#reads;
  }

  get issuances(): IssuanceLoaders {
    this.usesCaller = true;
    this.#issuances ??= issuanceLoaders(this.#services.issuances.reads, this.#issuer?.issuer);
    return this.#issuances;
  }

  get uploads(): UploadSession | undefined {
    this.usesCaller = true;
    const { uploads } = this.#services;
    this.#uploads ??= this.#issuer && uploads.session(this.#issuer.credentials, this.#signal);
    return this.#uploads;
  }
}

/** The headers and credentials of an HTTP request. */
export const sourceOf = (req: IncomingMessage): OperationSource => ({
  headers: req.headers,
  credentials: credentialsOf(req),
});

/** Does what `AbortSignal.any` does, which takes ten times as long. */
function endWith(signal: AbortSignal, ending: AbortController): void {
  const leave = () => ending.abort(new CallerLeft());
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
}

/** The languages of Accept-Language, preferred ones first. Tags that cannot be read are left out. */
function languagesOf(headers: CallerHeaders): string[] {
  return acceptedValues(textOf(headers['accept-language']))
    .filter(([tag, weight]) => /^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$/.test(tag) && weight > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([tag]) => tag);
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  (typeof header === 'string' && header) || undefined;

function unauthorized(error: GatewayError): Error {
  const shown = asGraphQLError(error);
  if (error.code === 'UNAUTHENTICATED') shown.extensions.http = { status: 401 };
  return shown;
}
