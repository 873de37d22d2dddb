import { contextFactory } from '../graphql/execution/context.ts';
import type { AppOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { sourceChecks } from './sources.ts';

/** Wires what resolvers work with. */
export function createContexts(options: AppOptions, { store, clients, services, names, state }: Parts) {
  const { authenticator, issuances, uploads, events, pictures, webhooks } = services;
  return contextFactory({
    services: {
      issuances,
      events,
      uploads,
      pictures,
      webhooks,
      sources: sourceChecks(options, store.db, clients, names),
      publicUrl: () => state.url,
    },
    authenticator,
    catalog: clients.catalog,
  });
}
