import type { Caller, IssuerCaller } from '../../access/caller.ts';
import type { CatalogRequest } from '../../catalog/catalog.ts';
import type { SourceCheck } from '../../clients/health.ts';
import type { EventLog } from '../../events/event-log.ts';
import type { IssuanceLoaders } from '../../issuance/issuance-loaders.ts';
import type { Issuances } from '../../issuance/issuances.ts';
import { unauthenticated } from '../../model/errors.ts';
import type { Scope } from '../../model/scope.ts';
import type { Pictures } from '../../pictures/pictures.ts';
import type { UploadSession } from '../../uploads/upload-session.ts';
import type { Uploads } from '../../uploads/uploads.ts';

/** What resolvers may use. Made once, in `app.ts`. */
export interface Services {
  issuances: Issuances;
  events: EventLog;
  uploads: Uploads;
  pictures: Pictures;
  sources: readonly SourceCheck[];
  /** Base address of the gateway as clients see it. */
  publicUrl(): string;
}

/** The context of one operation of one caller. */
export interface Context extends Services {
  caller: Caller;
  /** Aborted when the caller goes away or the deadline passes. */
  signal: AbortSignal;
  /** From Accept-Language, preferred ones first. */
  languages: string[];
  /** Last-Event-ID of a client that resumes its event stream. */
  lastEventId: string | undefined;
  startedAt: Date;
  /** Cancels everything that the operation waits for: a subscription was left, or a request took too long. */
  end(reason?: Error): void;
  /** Loaders of this operation, or of this event of a subscription. */
  loaders: Loaders;
}

/** Loaders and caches that must not outlive one execution: each event of a subscription gets its own. */
export interface Loaders {
  reads: CatalogRequest;
  issuances: IssuanceLoaders;
  uploads: UploadSession | undefined;
  /** Set once a resolver has looked at something of the caller's own. */
  usesCaller: boolean;
  /** Whether everything that was read is complete: reading again at the same block gives the same. */
  complete: boolean;
}

/**
 * The caller of a field that needs a scope, which is always an issuer.
 * @throws GatewayError UNAUTHENTICATED for an anonymous caller.
 */
export function requireIssuer(context: Context): IssuerCaller {
  if (context.caller.kind === 'issuer') return context.caller;
  throw issuerRequired();
}

/** The error for an anonymous caller of a field that needs an issuer. */
export const issuerRequired = () =>
  unauthenticated(
    'This needs an issuer: send "Authorization: Bearer <token>", or the headers commerce-api-key and issuer-address.',
  );

/** Whether the caller is an issuer whose credentials have this scope. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  return caller.kind === 'issuer' && caller.scopes.has(scope);
}
