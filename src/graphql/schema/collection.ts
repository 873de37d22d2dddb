import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { comparable } from './comparable.ts';
import { orFailedEdges } from './page.ts';
import { Collection, CollectionConnection, LicensedUser, SRR, SRRConnection } from './refs.ts';
import { recordPage, SRRFilter, SRROrder } from './srr-list.ts';
import { momentOf } from './times.ts';

export { Collection } from './refs.ts';

const addressOf = (text: string): Address => parseAddress(text) as Address;

/** `wait`: the collection is known to be deployed, so wait for the subgraph to index it. */
export const collectionByAddress = (address: Address, { fresh }: Context, options?: { wait: boolean }) =>
  options?.wait ? fresh.reads.collectionOfDeployed(address) : fresh.reads.collections.load(address);

builder.node(Collection, {
  id: { description: 'The global id of this collection. It never changes.', resolve: ({ id }) => id },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'symbol' in value,
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
      resolve: ({ id }) => addressOf(id),
    }),
    name: t.exposeString('name', {
      nullable: false,
      description: 'The name of the collection, stored on the contract.',
    }),
    symbol: t.exposeString('symbol', {
      nullable: false,
      description: 'The ERC-721 symbol, stored on the contract.',
    }),
    owner: t.field({
      type: LicensedUser,
      description:
        'The licensed user that owns the collection and may mint into it. Null when the owner is not a licensed user; ownerAddress is set all the same.',
      resolve: ({ ownerAddress }, _args, { fresh }) =>
        fresh.reads.licensedUsers.load(addressOf(ownerAddress)),
    }),
    ownerAddress: t.field({
      type: 'Address',
      nullable: false,
      description: 'The address of the owner, who may mint into the collection.',
      resolve: ({ ownerAddress }) => addressOf(ownerAddress),
    }),
    creatorAddress: t.field({
      type: 'Address',
      description:
        'The address that had the collection deployed. It stays the same when the ownership is handed over. Null when the subgraph does not know it.',
      resolve: ({ creatorAddress }) => (creatorAddress == null ? null : addressOf(creatorAddress)),
    }),
    srrs: t.connection(
      {
        type: SRR,
        description:
          'The records in this collection, newest first unless orderBy says otherwise. From the subgraph.',
        args: {
          where: t.arg({
            type: SRRFilter,
            description: 'Lists only records that meet all of these conditions.',
          }),
          orderBy: t.arg({
            type: SRROrder,
            description: 'The order of the list. The default is CREATED_AT_DESC (newest first).',
          }),
        },
        resolve: ({ id }, args, context) => recordPage(args, context, { collection: addressOf(id) }),
      },
      SRRConnection,
    ),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the collection was deployed.',
      resolve: (row) => momentOf(row.createdAt),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the collection last changed.',
      resolve: (row) => momentOf(row.updatedAt),
    }),
  }),
});

const CollectionFilter = builder.inputType('CollectionFilter', {
  description: 'Conditions on collections. A collection must meet all that are given.',
  fields: (t) => ({
    owner: t.field({ type: 'Address', description: 'Collections owned by this address.' }),
    nameContains: t.string({ description: 'Collections whose name contains this text, in any letter case.' }),
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
    resolve: (_root, { address }, context) => collectionByAddress(address, context),
  }),
  collections: t.connection(
    {
      type: Collection,
      nullable: false,
      description: 'Lists collections, newest first. From the subgraph.',
      args: {
        where: t.arg({
          type: CollectionFilter,
          description: 'Lists only collections that meet all of these conditions.',
        }),
      },
      resolve: (_root, args, { fresh }) => {
        const nameContains = comparable(args.where?.nameContains, ['where', 'nameContains']);
        const owner = args.where?.owner ?? undefined;
        return orFailedEdges(fresh.reads.collectionPage(args, { owner, nameContains }));
      },
    },
    CollectionConnection,
  ),
}));
