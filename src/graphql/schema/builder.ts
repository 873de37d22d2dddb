import SchemaBuilder from '@pothos/core';
import RelayPlugin, { resolveNodes } from '@pothos/plugin-relay';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import type { Address } from '@srr-gateway/common/address';
import { issuerRequired, mayUse } from '../../access/caller.ts';
import { GatewayError } from '../../model/errors.ts';
import type { Context } from '../execution/context.ts';
import { eachByItself } from './each-by-itself.ts';
import { relayOptions } from './relay-options.ts';

/** The types of context, scopes and scalars, for Pothos. */
export interface SchemaTypes {
  Context: Context;
  AuthScopes: { read: boolean; upload: boolean; issue: boolean; webhooks: boolean };
  Scalars: {
    ID: { Input: string; Output: string };
    Address: { Input: Address; Output: string };
    BigInt: { Input: string; Output: string | number | bigint };
    CID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    LanguageMap: { Input: Record<string, string>; Output: Record<string, string> };
    TokenId: { Input: string; Output: string };
    URL: { Input: string; Output: string };
    /** A representation of an entity in a supergraph (Apollo Federation's `_Any`). */
    _Any: { Input: unknown; Output: unknown };
    File: { Input: File; Output: never };
  };
}

/** The schema builder. Each file of this folder adds a concept to it. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, RelayPlugin],
  relay: {
    ...relayOptions,
    nodesQueryOptions: {
      ...relayOptions.nodesQueryOptions,
      // One call for each id: a failed load would fail every object of the same call.
      resolve: (_root, { ids }, context, info): Promise<unknown[]> =>
        eachByItself(ids.map(async (id) => (await resolveNodes(builder, context, info, [id]))[0])),
    },
  },
  scopeAuth: {
    // Check when a subscription is opened; its first event may come much later.
    authorizeOnSubscribe: true,
    authScopes: ({ caller }) => ({
      read: mayUse(caller, 'read'),
      upload: mayUse(caller, 'upload'),
      issue: mayUse(caller, 'issue'),
      webhooks: mayUse(caller, 'webhooks'),
    }),
    unauthorizedError: (_parent, { caller }, { parentType, fieldName }, { failure }) =>
      caller.kind === 'anonymous'
        ? issuerRequired()
        : new GatewayError({
            code: 'FORBIDDEN',
            message: `${parentType.name}.${fieldName} needs a token with the scope "${scopesIn(failure).join('" or "')}".`,
          }),
  },
});

/** The scopes of which any one would be enough. */
const scopesIn = (failure: AuthFailure): string[] =>
  'failures' in failure ? failure.failures.flatMap(scopesIn) : 'scope' in failure ? [failure.scope] : [];

builder.queryType({
  description:
    'Records, collections, licensed users and metadata are public. An issuer’s own work (uploads, issuances, events) needs a token or the issuance service’s own headers.',
});
builder.mutationType({
  description:
    'Each mutation returns userErrors as data: what could not be done, why, and where in the input.',
});
builder.subscriptionType({
  description: 'Subscriptions run over SSE (accept: text/event-stream) and WebSocket (graphql-ws).',
});
