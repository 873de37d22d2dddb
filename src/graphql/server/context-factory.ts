import type { YogaInitialContext } from 'graphql-yoga';
import type { Authenticator, HeaderSource } from '../../access/authenticate.ts';
import { anonymous, type Caller, type IssuerCaller } from '../../access/caller.ts';
import type { Catalog, CatalogRequest } from '../../catalog/catalog.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { UploadSession } from '../../uploads/upload-session.ts';
import type { Context, Fresh, Services } from '../context.ts';
import { type IssuanceLoaders, issuanceLoaders } from '../issuance-loaders.ts';
import { acceptedLanguages } from './languages.ts';
import { asGraphQLError } from './mask-error.ts';

export interface ContextDeps {
  services: Services;
  authenticator: Authenticator;
  catalog: Catalog;
}

/** Where an operation of a longer connection comes from: its request, and what was said at the start. */
export interface SocketContext {
  extra?: { request: { headers: Record<string, string | string[] | undefined> } };
  connectionParams?: Record<string, unknown>;
}

export type InitialContext = YogaInitialContext & SocketContext;

/** Makes the context of an operation, and anew the part of it that each event of a subscription needs. */
export function contextFactory({ services, authenticator, catalog }: ContextDeps) {
  const fresh = (caller: Caller, signal: AbortSignal) => new FreshOnDemand(services, catalog, caller, signal);
  return {
    async create(initial: InitialContext): Promise<Context> {
      const headers = headersOf(initial);
      const caller = await authenticator.caller(headers).catch((error: unknown) => {
        throw error instanceof GatewayError ? unauthorized(error) : error;
      });
      const ending = new AbortController();
      const signal = initial.request
        ? AbortSignal.any([initial.request.signal, ending.signal])
        : ending.signal;
      const languages = acceptedLanguages(headers.get('accept-language'));
      return {
        ...services,
        caller,
        signal,
        languages,
        lastEventId: headers.get('last-event-id') || undefined,
        startedAt: new Date(),
        end: (reason = new Error('the subscription was ended')) => ending.abort(reason),
        fresh: fresh(caller, signal),
      };
    },
    /** For an execution of its own, which `signal` ends. */
    renew: (context: Context, signal: AbortSignal): Context => ({
      ...context,
      signal,
      startedAt: new Date(),
      fresh: fresh(context.caller, signal),
    }),
    /** The same for nobody in particular; whoever looks who calls makes what is read personal. */
    forAll: (context: Context, signal: AbortSignal): Context => {
      const ofNobody = fresh(anonymous, signal);
      return {
        ...context,
        signal,
        startedAt: new Date(),
        fresh: ofNobody,
        get caller() {
          ofNobody.personal = true;
          return anonymous;
        },
      };
    },
  };
}

/** Made part by part when asked for: most operations need one, and a subscription that waits needs none. */
class FreshOnDemand implements Fresh {
  readonly #services: Services;
  readonly #catalog: Catalog;
  readonly #issuer: IssuerCaller | undefined;
  readonly #signal: AbortSignal;
  #reads: CatalogRequest | undefined;
  #issuances: IssuanceLoaders | undefined;
  #uploads: UploadSession | undefined;
  personal = false;

  constructor(services: Services, catalog: Catalog, caller: Caller, signal: AbortSignal) {
    this.#services = services;
    this.#catalog = catalog;
    this.#issuer = caller.kind === 'issuer' ? caller : undefined;
    this.#signal = signal;
  }

  get reads(): CatalogRequest {
    this.#reads ??= this.#catalog.request(this.#signal);
    return this.#reads;
  }

  get issuances(): IssuanceLoaders {
    this.personal = true;
    this.#issuances ??= issuanceLoaders(this.#services.issuances.reads, this.#issuer);
    return this.#issuances;
  }

  get uploads(): UploadSession | undefined {
    this.personal = true;
    const { uploads } = this.#services;
    this.#uploads ??= this.#issuer && uploads.session(this.#issuer.credentials, this.#signal);
    return this.#uploads;
  }
}

/** A socket's credentials come with its first message, because a browser can set no headers on it. */
export function headersOf({
  request,
  extra,
  connectionParams,
}: SocketContext & { request?: Request }): HeaderSource {
  if (request) return request.headers;
  const given = Object.entries(connectionParams ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const said = Object.fromEntries(given) as Record<string, unknown>;
  return {
    get: (name) => {
      const value = said[name.toLowerCase()] ?? extra?.request.headers[name.toLowerCase()];
      return typeof value === 'string' ? value : null;
    },
  };
}

function unauthorized(error: GatewayError): Error {
  const shown = asGraphQLError(error);
  if (error.code === 'UNAUTHENTICATED') shown.extensions.http = { status: 401 };
  return shown;
}
