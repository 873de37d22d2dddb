import type { YogaInitialContext } from 'graphql-yoga';
import type { Authenticator, HeaderSource } from '../../access/authenticate.ts';
import type { Caller } from '../../access/caller.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Context, Fresh, Services } from '../context.ts';
import { issuanceLoaders } from '../issuance-loaders.ts';
import { acceptedLanguages } from './languages.ts';
import { asGraphQLError } from './mask-error.ts';

export interface ContextDeps {
  services: Services;
  authenticator: Authenticator;
  catalog: Catalog;
}

/** What a WebSocket connection adds: its upgrade request, and what the client said at its start. */
interface SocketContext {
  extra?: { request: { headers: Record<string, string | string[] | undefined> } };
  connectionParams?: Record<string, unknown>;
}

export type InitialContext = YogaInitialContext & SocketContext;

/** Makes the context of an operation, and anew the part of it that each event of a subscription needs. */
export function contextFactory({ services, authenticator, catalog }: ContextDeps) {
  const fresh = (caller: Caller, signal: AbortSignal): Fresh => {
    const issuer = caller.kind === 'issuer' ? caller : undefined;
    return {
      reads: catalog.request(signal),
      issuances: issuanceLoaders(services.issuances.reads, issuer),
      uploads: issuer && services.uploads.session(issuer.credentials, signal),
    };
  };
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
  };
}

/** A socket's credentials come with its first message, because a browser can set no headers on it. */
function headersOf({ request, extra, connectionParams }: InitialContext): HeaderSource {
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
