import SchemaBuilder from '@pothos/core';
import RelayPlugin, { resolveNodes } from '@pothos/plugin-relay';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import type { Address } from '@srr-gateway/common/address';
import type { GraphQLResolveInfo } from 'graphql';
import { issuerRequired, mayUse } from '../../access/caller.ts';
import { GatewayError } from '../../model/errors.ts';
import { type Scope, scopes } from '../../model/scope.ts';
import type { Context } from '../execution/context.ts';
import { errorsAsItems } from './errors-as-items.ts';
import { demandNode, relayOptions } from './relay-options.ts';

/** The types of context, scopes and scalars, for Pothos. */
export interface SchemaTypes {
  Context: Context;
  AuthScopes: Record<Scope, boolean>;
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
    nodeQueryOptions: {
      ...relayOptions.nodeQueryOptions,
      resolve: (_root, { id }, context, info): Promise<unknown> => nodeOf(id, ['id'], context, info),
    },
    nodesQueryOptions: {
      ...relayOptions.nodesQueryOptions,
      resolve: (_root, { ids }, context, info): Promise<unknown[]> =>
        errorsAsItems(ids, (id, i) => nodeOf(id, ['ids', String(i)], context, info)),
    },
  },
  scopeAuth: {
    // Check when a subscription is opened; its first event may come much later.
    authorizeOnSubscribe: true,
    authScopes: ({ caller }) =>
      Object.fromEntries(scopes.map((scope) => [scope, mayUse(caller, scope)])) as Record<Scope, boolean>,
    unauthorizedError: (_parent, { caller }, { parentType, fieldName }, { failure }) =>
      caller.kind === 'anonymous'
        ? issuerRequired()
        : new GatewayError({
            code: 'FORBIDDEN',
            message: `${parentType.name}.${fieldName} needs a token with the scope "${scopesIn(failure).join('" or "')}".`,
          }),
  },
});

/** Loads one node. A call for each id: a failed load would fail every object of the same call. */
async function nodeOf(
  id: { typename: string; id: string },
  path: string[],
  context: Context,
  info: GraphQLResolveInfo,
): Promise<unknown> {
  demandNode(id, info, path);
  return (await resolveNodes(builder, context, info, [id]))[0];
}

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
