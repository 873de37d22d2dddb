import { type Address, parseAddress } from '@srr-gateway/common/address';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { orFailedEdges } from '../page.ts';
import { Collection, CollectionConnection, LicensedUser, SRR, SRRConnection } from './refs.ts';
import { recordPage, SRROrder } from './srr-list.ts';
import { momentOf } from './times.ts';

export { LicensedUser } from './refs.ts';

const addressOf = (text: string): Address => parseAddress(text) as Address;

export const licensedUserByAddress = (address: Address, { fresh }: Context) =>
  fresh.reads.licensedUsers.load(address);

builder.node(LicensedUser, {
  id: { description: 'Of this user, for ever.', resolve: ({ walletAddress }) => walletAddress },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'englishName' in value,
  description: 'A licensed user: an issuer or artist, by its wallet. From the subgraph.',
  loadOne: async (id, context) => {
    const address = parseAddress(id);
    return address ? licensedUserByAddress(address, context) : null;
  },
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      nullable: false,
      description: 'Its wallet.',
      resolve: ({ walletAddress }) => addressOf(walletAddress),
    }),
    englishName: t.exposeString('englishName', { nullable: false, description: 'Its name in English.' }),
    originalName: t.exposeString('originalName', {
      nullable: false,
      description: 'Its name in its own language.',
    }),
    userType: t.exposeString('userType', { nullable: false, description: 'handler or artist.' }),
    threshold: t.exposeInt('threshold', { nullable: false, description: 'How many owners must sign.' }),
    owners: t.field({
      type: ['Address'],
      nullable: { list: false, items: false },
      description: 'Who may sign for the wallet.',
      resolve: ({ owners }) => owners.map(addressOf),
    }),
    issuedSRRs: t.connection(
      {
        type: SRR,
        description: 'Records that it issued.',
        args: { orderBy: t.arg({ type: SRROrder, description: 'Newest first when absent.' }) },
        resolve: ({ walletAddress }, args, context) =>
          recordPage(args, context, { issuer: addressOf(walletAddress) }),
      },
      SRRConnection,
    ),
    ownedSRRs: t.connection(
      {
        type: SRR,
        description: 'Records that it owns.',
        args: { orderBy: t.arg({ type: SRROrder, description: 'Newest first when absent.' }) },
        resolve: ({ walletAddress }, args, context) =>
          recordPage(args, context, { owner: addressOf(walletAddress) }),
      },
      SRRConnection,
    ),
    collections: t.connection(
      {
        type: Collection,
        description: 'Collections that it owns, newest first.',
        resolve: ({ walletAddress }, args, { fresh }) =>
          orFailedEdges(fresh.reads.collectionPage(args, { owner: addressOf(walletAddress) })),
      },
      CollectionConnection,
    ),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was registered.',
      resolve: (row) => momentOf(row.createdAt),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it last changed.',
      resolve: (row) => momentOf(row.updatedAt),
    }),
  }),
});

builder.queryField('licensedUser', (t) =>
  t.field({
    type: LicensedUser,
    description: 'An issuer or artist by its wallet. Null when it is no licensed user.',
    args: { address: t.arg({ type: 'Address', required: true, description: 'Its wallet.' }) },
    resolve: (_root, { address }, context) => licensedUserByAddress(address, context),
  }),
);
