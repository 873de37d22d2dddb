import type { Caller, IssuerCaller, Scope } from '../access/caller.ts';
import type { CatalogRequest } from '../catalog/catalog.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Issuances } from '../issuance/issuances.ts';
import { GatewayError } from '../model/errors.ts';
import type { UploadSession } from '../uploads/upload-session.ts';
import type { Uploads } from '../uploads/uploads.ts';
import type { IssuanceLoaders } from './issuance-loaders.ts';
import type { SourceChecks } from './source-checks.ts';

/** What resolvers may use; made once, in `app.ts`. */
export interface Services {
  issuances: Issuances;
  events: EventLog;
  uploads: Uploads;
  sources: SourceChecks;
  /** Base address of the gateway as clients see it. */
  publicUrl: string;
}

/** One operation of one caller. */
export interface Context extends Services {
  caller: Caller;
  /** Aborted when the caller goes away or the deadline passes. */
  signal: AbortSignal;
  /** From Accept-Language, most wanted first. */
  languages: string[];
  /** Last-Event-ID of a client that comes back to its event stream. */
  lastEventId: string | undefined;
  startedAt: Date;
  /** Ends all waiting: of a subscription that is left, or of a request that took too long. */
  end(reason?: Error): void;
  /** What was read for this operation, or for this event of a subscription. */
  fresh: Fresh;
}

/** Loaders and caches that must not outlive one execution: each event of a subscription gets its own. */
export interface Fresh {
  reads: CatalogRequest;
  issuances: IssuanceLoaders;
  uploads: UploadSession | undefined;
  /** Whether it was asked for something of the caller's own. */
  personal: boolean;
}

/** The caller of a field that is guarded by a scope: proven to be an issuer. */
export function issuerOf(context: Context): IssuerCaller {
  if (context.caller.kind === 'issuer') return context.caller;
  throw unauthenticated();
}

export const unauthenticated = () =>
  new GatewayError({
    code: 'UNAUTHENTICATED',
    message:
      'This needs an issuer: send "Authorization: Bearer <token>", or the headers commerce-api-key and issuer-address.',
  });

export function mayUse(caller: Caller, scope: Scope): boolean {
  return caller.kind === 'issuer' && caller.scopes.has(scope);
}
