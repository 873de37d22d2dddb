import type { IssuerCaller, Scope } from '../../access/caller.ts';
import { builder } from '../builder.ts';
import { LicensedUser, licensedUserByAddress } from './licensed-user.ts';

const ScopeEnum = builder.enumType('Scope', {
  description: 'What credentials allow.',
  values: {
    READ: { value: 'read', description: 'To see the issuer’s own uploads, issuances and events.' },
    UPLOAD: { value: 'upload', description: 'To upload files in the issuer’s name.' },
    ISSUE: { value: 'issue', description: 'To issue records and create collections in the issuer’s name.' },
  } as const,
});

const Viewer = builder.objectRef<IssuerCaller>('Viewer').implement({
  description: 'Who the credentials of this request speak for.',
  fields: (t) => ({
    issuer: t.field({
      type: 'Address',
      nullable: false,
      description: 'The issuer’s wallet.',
      resolve: ({ issuer }) => issuer,
    }),
    licensedUser: t.field({
      type: LicensedUser,
      description: 'The issuer on chain. From the subgraph.',
      resolve: ({ issuer }, _args, context) => licensedUserByAddress(issuer, context),
    }),
    scopes: t.field({
      type: [ScopeEnum],
      nullable: { list: false, items: false },
      description: 'What they allow.',
      resolve: ({ scopes }) => [...scopes] as Scope[],
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Null when the request carries no credentials.',
    resolve: (_root, _args, { caller }) => (caller.kind === 'issuer' ? caller : null),
  }),
);
