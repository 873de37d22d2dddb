import { encodeGlobalID } from '@pothos/plugin-relay';
import type { IssuerCaller } from '../../access/caller.ts';
import type { Scope } from '../../model/scope.ts';
import { builder } from './builder.ts';
import { licensedUserByAddress } from './licensed-user.ts';
import { LicensedUser } from './refs.ts';
import { idField } from './relay-options.ts';

const ScopeEnum = builder.enumType('Scope', {
  description: 'A permission of credentials.',
  values: {
    READ: {
      value: 'read',
      description: 'The credentials may read the issuer’s own uploads, issuances and events.',
    },
    UPLOAD: { value: 'upload', description: 'The credentials may upload files in the issuer’s name.' },
    ISSUE: {
      value: 'issue',
      description: 'The credentials may issue records and create collections in the issuer’s name.',
    },
    WEBHOOKS: {
      value: 'webhooks',
      description:
        'The credentials may manage the issuer’s webhook endpoints, and so choose who gets its events.',
    },
  } as const satisfies Record<Uppercase<Scope>, { value: Scope; description: string }>,
});

const Viewer = builder.objectRef<IssuerCaller>('Viewer').implement({
  description: 'The issuer of this request’s credentials.',
  fields: (t) => ({
    id: t.id({
      ...idField('viewer'),
      resolve: ({ issuer }) => encodeGlobalID('Viewer', issuer),
    }),
    issuer: t.field({
      type: 'Address',
      nullable: false,
      description: 'The issuer’s wallet address.',
      resolve: ({ issuer }) => issuer,
    }),
    licensedUser: t.field({
      type: LicensedUser,
      description:
        'The issuer as a licensed user, from the subgraph. Null when the subgraph does not have it.',
      resolve: ({ issuer }, _args, context, info) => licensedUserByAddress(issuer, context, info),
    }),
    scopes: t.field({
      type: [ScopeEnum],
      nullable: { list: false, items: false },
      description: 'The permissions of the credentials.',
      resolve: ({ scopes }) => [...scopes] as Scope[],
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'The issuer of the request’s credentials. Null for a request without credentials.',
    resolve: (_root, _args, { caller }) => (caller.kind === 'issuer' ? caller : null),
  }),
);
