import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { GraphQLResolveInfo } from 'graphql';
import type { CollectionRecord } from '../../catalog/catalog.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { CollectionFilter, CollectionOrder, collectionPage } from './collection-list.ts';
import { addressOf, columnsOf, fromColumns, needs } from './columns.ts';
import { databaseText } from './database-text.ts';
import { bothWays } from './page.ts';
import { Collection, CollectionConnection, LicensedUser, SRR, SRRConnection } from './refs.ts';
import { recordPage, srrListArgs } from './srr-list.ts';
import { dateOf } from './times.ts';

/** The collection at an address. `info` says which of its columns are needed; absent: all. */
export const collectionByAddress = (address: Address, { loaders }: Context, info?: GraphQLResolveInfo) =>
  loaders.reads.collection(address, info && columnsOf(info));

const collectionColumns = fromColumns<CollectionRecord>();

builder.node(Collection, {
  id: {
    description: 'The global id of this collection. It never changes.',
    ...collectionColumns(['id'], ({ id }) => id),
  },
  // Rows have only the selected columns, so Pothos cannot recognise their type by shape.
  brandLoadedObjects: true,
  description: 'An ERC-721 contract that holds records outside of the registry, read from the subgraph.',
  loadOne: async (id, context) => {
    const address = parseAddress(id);
    return address ? collectionByAddress(address, context) : null;
  },
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      nullable: false,
      description: 'The address of the collection’s contract.',
      ...collectionColumns(['id'], ({ id }) => id),
    }),
    name: t.string({
      nullable: false,
      description: 'The name of the collection, stored on the contract.',
      ...collectionColumns(['name'], ({ name }) => name),
    }),
    symbol: t.string({
      nullable: false,
      description: 'The ERC-721 symbol, stored on the contract.',
      ...collectionColumns(['symbol'], ({ symbol }) => symbol),
    }),
    owner: t.field({
      type: LicensedUser,
      description:
        'The licensed user that owns the collection and may mint into it. Null when the owner is not a licensed user; ownerAddress still has the address.',
      ...needs('ownerAddress'),
      resolve: ({ ownerAddress }, _args, { loaders }, info) =>
        loaders.reads.licensedUser(addressOf(ownerAddress), columnsOf(info)),
    }),
    ownerAddress: t.field({
      type: 'Address',
      nullable: false,
      description: 'The address of the owner, who may mint into the collection.',
      ...collectionColumns(['ownerAddress'], ({ ownerAddress }) => ownerAddress),
    }),
    creatorAddress: t.field({
      type: 'Address',
      description:
        'The address that had the collection deployed. It stays the same when the owner changes. Null when the subgraph does not have it.',
      ...collectionColumns(['creatorAddress'], ({ creatorAddress }) => creatorAddress),
    }),
    srrs: t.connection(
      {
        type: SRR,
        description: `The records in this collection, newest first unless orderBy says otherwise. From the subgraph. ${bothWays}`,
        args: srrListArgs,
        ...needs('id'),
        resolve: ({ id }, args, context, info) =>
          recordPage(args, context, info, { collection: addressOf(id) }),
      },
      SRRConnection,
    ),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the collection was deployed.',
      ...collectionColumns(['createdAt'], ({ createdAt }) => dateOf(createdAt)),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the collection last changed.',
      ...collectionColumns(['updatedAt'], ({ updatedAt }) => dateOf(updatedAt)),
    }),
  }),
});

builder.queryFields((t) => ({
  collection: t.field({
    type: Collection,
    description:
      'Fetches a collection by its contract address, from the subgraph. Null when there is no such collection.',
    args: {
      address: t.arg({
        type: 'Address',
        required: true,
        description: 'The address of the collection’s contract.',
      }),
    },
    resolve: (_root, { address }, context, info) => collectionByAddress(address, context, info),
  }),
  collections: t.connection(
    {
      type: Collection,
      nullable: false,
      description: `Lists collections, newest first unless orderBy says otherwise. From the subgraph. ${bothWays}`,
      args: {
        where: t.arg({
          type: CollectionFilter,
          description: 'Lists only collections that meet all of these conditions.',
        }),
        orderBy: t.arg({
          type: CollectionOrder,
          description: 'The order of the list. The default is CREATED_AT_DESC (newest first).',
        }),
      },
      resolve: (_root, args, context, info) => {
        const { where } = args;
        return collectionPage(args, context, info, {
          owner: where?.owner ?? undefined,
          creator: where?.creator ?? undefined,
          addresses: where?.addresses ?? undefined,
          nameContains: databaseText(where?.nameContains, ['where', 'nameContains']),
        });
      },
    },
    CollectionConnection,
  ),
}));
