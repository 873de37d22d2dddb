import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { orFailedEdges } from './page.ts';
import { Collection, CollectionConnection, LicensedUser, SRR, SRRConnection } from './refs.ts';
import { recordPage, SRROrder } from './srr-list.ts';
import { momentOf } from './times.ts';

export { LicensedUser } from './refs.ts';

const addressOf = (text: string): Address => parseAddress(text) as Address;

/** The licensed user with this wallet address; null when the subgraph has none. */
export const licensedUserByAddress = (address: Address, { fresh }: Context) =>
  fresh.reads.licensedUsers.load(address);

builder.node(LicensedUser, {
  id: {
    description: 'The global id of this licensed user. It never changes.',
    resolve: ({ walletAddress }) => walletAddress,
  },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'englishName' in value,
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
      resolve: ({ walletAddress }) => addressOf(walletAddress),
    }),
    englishName: t.exposeString('englishName', {
      nullable: false,
      description: 'The user’s name in English.',
    }),
    originalName: t.exposeString('originalName', {
      nullable: false,
      description: 'The user’s name in the user’s own language.',
    }),
    userType: t.exposeString('userType', {
      nullable: false,
      description: 'The kind of user: handler or artist.',
    }),
    threshold: t.exposeInt('threshold', {
      nullable: false,
      description: 'The number of owners that must sign before the wallet acts.',
    }),
    owners: t.field({
      type: ['Address'],
      nullable: { list: false, items: false },
      description: 'The addresses of the owners who may sign for the wallet.',
      resolve: ({ owners }) => owners.map(addressOf),
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
        resolve: ({ walletAddress }, args, context) =>
          recordPage(args, context, { issuer: addressOf(walletAddress) }),
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
        resolve: ({ walletAddress }, args, context) =>
          recordPage(args, context, { owner: addressOf(walletAddress) }),
      },
      SRRConnection,
    ),
    collections: t.connection(
      {
        type: Collection,
        description: 'The collections that this user owns, newest first. From the subgraph.',
        resolve: ({ walletAddress }, args, { fresh }) =>
          orFailedEdges(fresh.reads.collectionPage(args, { owner: addressOf(walletAddress) })),
      },
      CollectionConnection,
    ),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the user was registered.',
      resolve: (row) => momentOf(row.createdAt),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the user last changed.',
      resolve: (row) => momentOf(row.updatedAt),
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
    resolve: (_root, { address }, context) => licensedUserByAddress(address, context),
  }),
);
