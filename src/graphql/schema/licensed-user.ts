import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { GraphQLResolveInfo } from 'graphql';
import type { LicensedUserRecord } from '../../catalog/catalog.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { collectionPage } from './collection-list.ts';
import { columnsOf, fromColumns, needs } from './columns.ts';
import { Collection, CollectionConnection, LicensedUser, SRR, SRRConnection } from './refs.ts';
import { recordPage, SRROrder } from './srr-list.ts';
import { dateOf } from './times.ts';

export { LicensedUser } from './refs.ts';

const addressOf = (text: string): Address => parseAddress(text) as Address;

/** The licensed user with this wallet address; null when the subgraph has none. */
export const licensedUserByAddress = (address: Address, { loaders }: Context, info?: GraphQLResolveInfo) =>
  loaders.reads.licensedUser(address, info && columnsOf(info));

const userColumns = fromColumns<LicensedUserRecord>();

builder.node(LicensedUser, {
  id: {
    description: 'The global id of this licensed user. It never changes.',
    ...userColumns(['walletAddress'], ({ walletAddress }) => walletAddress),
  },
  // Rows have only the columns that were asked for, so their shape does not tell their type.
  brandLoadedObjects: true,
  description:
    'A licensed user (an issuer or artist), identified by wallet address and read from the subgraph.',
  loadOne: async (id, context) => {
    const address = parseAddress(id);
    return address ? licensedUserByAddress(address, context) : null;
  },
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      nullable: false,
      description: 'The user’s wallet address.',
      ...userColumns(['walletAddress'], ({ walletAddress }) => addressOf(walletAddress)),
    }),
    englishName: t.string({
      nullable: false,
      description: 'The user’s name in English.',
      ...userColumns(['englishName'], ({ englishName }) => englishName),
    }),
    originalName: t.string({
      nullable: false,
      description: 'The user’s name in the user’s own language.',
      ...userColumns(['originalName'], ({ originalName }) => originalName),
    }),
    userType: t.string({
      nullable: false,
      description: 'The kind of user: handler or artist.',
      ...userColumns(['userType'], ({ userType }) => userType),
    }),
    threshold: t.int({
      nullable: false,
      description: 'The number of owners that must sign before the wallet acts.',
      ...userColumns(['threshold'], ({ threshold }) => threshold),
    }),
    owners: t.field({
      type: ['Address'],
      nullable: { list: false, items: false },
      description: 'The addresses of the owners who may sign for the wallet.',
      ...userColumns(['owners'], ({ owners }) => owners.map(addressOf)),
    }),
    issuedSRRs: t.connection(
      {
        type: SRR,
        description:
          'The records that this user issued, newest first unless orderBy says otherwise. From the subgraph.',
        args: {
          orderBy: t.arg({
            type: SRROrder,
            description: 'The order of the list. The default is CREATED_AT_DESC (newest first).',
          }),
        },
        ...needs('walletAddress'),
        resolve: ({ walletAddress }, args, context, info) =>
          recordPage(args, context, info, { issuer: addressOf(walletAddress) }),
      },
      SRRConnection,
    ),
    ownedSRRs: t.connection(
      {
        type: SRR,
        description:
          'The records that this user’s wallet owns, newest first unless orderBy says otherwise. From the subgraph.',
        args: {
          orderBy: t.arg({
            type: SRROrder,
            description: 'The order of the list. The default is CREATED_AT_DESC (newest first).',
          }),
        },
        ...needs('walletAddress'),
        resolve: ({ walletAddress }, args, context, info) =>
          recordPage(args, context, info, { owner: addressOf(walletAddress) }),
      },
      SRRConnection,
    ),
    collections: t.connection(
      {
        type: Collection,
        description: 'The collections that this user owns, newest first. From the subgraph.',
        ...needs('walletAddress'),
        resolve: ({ walletAddress }, args, context, info) =>
          collectionPage(args, context, info, { owner: addressOf(walletAddress) }),
      },
      CollectionConnection,
    ),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the user was registered.',
      ...userColumns(['createdAt'], ({ createdAt }) => dateOf(createdAt)),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the user last changed.',
      ...userColumns(['updatedAt'], ({ updatedAt }) => dateOf(updatedAt)),
    }),
  }),
});

builder.queryField('licensedUser', (t) =>
  t.field({
    type: LicensedUser,
    description:
      'Fetches an issuer or artist by wallet address, from the subgraph. Null when it is not a licensed user.',
    args: {
      address: t.arg({
        type: 'Address',
        required: true,
        description: 'The wallet address of the licensed user.',
      }),
    },
    resolve: (_root, { address }, context, info) => licensedUserByAddress(address, context, info),
  }),
);
