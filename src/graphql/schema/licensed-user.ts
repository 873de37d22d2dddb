import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { GraphQLResolveInfo } from 'graphql';
import type { LicensedUserRecord } from '../../catalog/catalog.ts';
import { defaultFirst } from '../../model/page-size.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { collectionPage } from './collection-list.ts';
import { addressOf, columnsOf, fromColumns, needs, pageColumnsOf } from './columns.ts';
import { databaseText } from './database-text.ts';
import { byName, listOrder, timeFields } from './list-order.ts';
import { bothWays, orFailedEdges } from './page.ts';
import {
  Collection,
  CollectionConnection,
  LicensedUser,
  LicensedUserConnection,
  SRR,
  SRRConnection,
} from './refs.ts';
import { recordPage, srrOrderArgs } from './srr-list.ts';
import { dateOf } from './times.ts';

/** The licensed user with this wallet address; null when the subgraph has none. */
export const licensedUserByAddress = (address: Address, { loaders }: Context, info?: GraphQLResolveInfo) =>
  loaders.reads.licensedUser(address, info && columnsOf(info));

const userColumns = fromColumns<LicensedUserRecord>();

const userKinds = ['handler', 'artist'] as const;

const LicensedUserKind = builder.enumType('LicensedUserKind', {
  description: 'The kinds of licensed users.',
  values: {
    HANDLER: { value: 'handler', description: 'A gallery or another dealer, who issues records.' },
    ARTIST: { value: 'artist', description: 'An artist.' },
  } as const,
});

builder.node(LicensedUser, {
  id: {
    description: 'The global id of this licensed user. It never changes.',
    ...userColumns(['walletAddress'], ({ walletAddress }) => walletAddress),
  },
  // Rows have only the selected columns, so Pothos cannot recognise their type by shape.
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
      ...userColumns(['walletAddress'], ({ walletAddress }) => walletAddress),
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
      description: 'The kind of user as the subgraph names it: handler or artist. kind has it as an enum.',
      ...userColumns(['userType'], ({ userType }) => userType),
    }),
    kind: t.field({
      type: LicensedUserKind,
      description: 'The kind of user. Null when userType is one that the gateway does not know.',
      ...userColumns(['userType'], ({ userType }) => userKinds.find((kind) => kind === userType)),
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
      ...userColumns(['owners'], ({ owners }) => owners),
    }),
    issuedSRRs: t.connection(
      {
        type: SRR,
        description: `The records that this user issued, newest first unless orderBy says otherwise. From the subgraph. ${bothWays}`,
        args: srrOrderArgs,
        ...needs('walletAddress'),
        resolve: ({ walletAddress }, args, context, info) =>
          recordPage(args, context, info, { issuer: addressOf(walletAddress) }),
      },
      SRRConnection,
    ),
    ownedSRRs: t.connection(
      {
        type: SRR,
        description: `The records that this user’s wallet owns, newest first unless orderBy says otherwise. From the subgraph. ${bothWays}`,
        args: srrOrderArgs,
        ...needs('walletAddress'),
        resolve: ({ walletAddress }, args, context, info) =>
          recordPage(args, context, info, { owner: addressOf(walletAddress) }),
      },
      SRRConnection,
    ),
    works: t.connection(
      {
        type: SRR,
        description: `The records by this user as artist, whoever issued them, newest first unless orderBy says otherwise. From the subgraph. ${bothWays}`,
        args: srrOrderArgs,
        ...needs('walletAddress'),
        resolve: ({ walletAddress }, args, context, info) =>
          recordPage(args, context, info, { artist: addressOf(walletAddress) }),
      },
      SRRConnection,
    ),
    collections: t.connection(
      {
        type: Collection,
        description: `The collections that this user owns, newest first. From the subgraph. ${bothWays}`,
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

const LicensedUserFilter = builder.inputType('LicensedUserFilter', {
  description: 'Conditions on licensed users. A user must meet all that are given; null counts as not given.',
  fields: (t) => ({
    nameContains: t.string({
      description:
        'Users with this text in the English or original name, ignoring the case of the letters A to Z.',
    }),
    addresses: t.field({ type: ['Address'], description: 'Users with one of these wallet addresses.' }),
    userType: t.string({
      description: 'Users of this kind, as LicensedUser.userType names it: handler or artist.',
    }),
  }),
});

const LicensedUserOrder = builder.enumType('LicensedUserOrder', {
  description: 'The order of a list of licensed users. Users with equal values are ordered by address.',
  values: {
    CREATED_AT_ASC: { description: 'By the time of registration, oldest first.' },
    CREATED_AT_DESC: { description: 'By the time of registration, newest first.' },
    UPDATED_AT_ASC: { description: 'By the time of the last change, longest unchanged first.' },
    UPDATED_AT_DESC: { description: 'By the time of the last change, last changed first.' },
    ...byName('English name'),
  } as const,
});

const orderOf = listOrder<LicensedUserRecord>({
  ...timeFields,
  NAME: { field: 'englishName', text: true, valueOf: ({ englishName }) => englishName },
});

builder.queryFields((t) => ({
  licensedUser: t.field({
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
  licensedUsers: t.connection(
    {
      type: LicensedUser,
      nullable: false,
      description: `Lists issuers and artists, newest first unless orderBy says otherwise. From the subgraph. ${bothWays}`,
      args: {
        where: t.arg({
          type: LicensedUserFilter,
          description: 'Lists only users that meet all of these conditions.',
        }),
        orderBy: t.arg({
          type: LicensedUserOrder,
          description: 'The order of the list. The default is CREATED_AT_DESC (newest first).',
        }),
      },
      resolve: (_root, { where, orderBy, ...args }, { loaders }, info) => {
        const filter = {
          addresses: where?.addresses ?? undefined,
          nameContains: databaseText(where?.nameContains, ['where', 'nameContains']),
          userType: databaseText(where?.userType, ['where', 'userType']),
        };
        const columns = pageColumnsOf(info, args.first ?? args.last ?? defaultFirst);
        const order = orderOf(orderBy ?? 'CREATED_AT_DESC');
        return orFailedEdges(loaders.reads.licensedUserPage(args, order, filter, columns), columns);
      },
    },
    LicensedUserConnection,
  ),
}));
