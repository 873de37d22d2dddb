import { type Address, parseAddress } from '@srr-gateway/common/address';
import { builder } from '../builder.ts';
import { comparable } from '../comparable.ts';
import type { Context } from '../context.ts';
import { orFailedEdges } from '../page.ts';
import { Collection, CollectionConnection, LicensedUser, SRR, SRRConnection } from './refs.ts';
import { recordPage, SRRFilter, SRROrder } from './srr-list.ts';
import { momentOf } from './times.ts';

export { Collection } from './refs.ts';

const addressOf = (text: string): Address => parseAddress(text) as Address;

/** `wait`: it is known to be deployed, so the index will have it soon. */
export const collectionByAddress = (address: Address, { fresh }: Context, options?: { wait: boolean }) =>
  options?.wait ? fresh.reads.collectionOfDeployed(address) : fresh.reads.collections.load(address);

builder.node(Collection, {
  id: { description: 'Of this collection, for ever.', resolve: ({ id }) => id },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'symbol' in value,
  description: 'A collection contract that an issuer owns. From the subgraph.',
  loadOne: async (id, context) => {
    const address = parseAddress(id);
    return address ? collectionByAddress(address, context) : null;
  },
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      nullable: false,
      description: 'Of the contract.',
      resolve: ({ id }) => addressOf(id),
    }),
    name: t.exposeString('name', { nullable: false, description: 'Stored on the contract.' }),
    symbol: t.exposeString('symbol', { nullable: false, description: 'ERC-721 symbol.' }),
    owner: t.field({
      type: LicensedUser,
      description: 'Who may mint into it; null when that is no licensed user.',
      resolve: ({ ownerAddress }, _args, { fresh }) =>
        fresh.reads.licensedUsers.load(addressOf(ownerAddress)),
    }),
    ownerAddress: t.field({
      type: 'Address',
      nullable: false,
      description: 'Who may mint into it.',
      resolve: ({ ownerAddress }) => addressOf(ownerAddress),
    }),
    creatorAddress: t.field({
      type: 'Address',
      description: 'Who had it deployed; stays when the ownership is handed over.',
      resolve: ({ creatorAddress }) => (creatorAddress == null ? null : addressOf(creatorAddress)),
    }),
    srrs: t.connection(
      {
        type: SRR,
        description: 'Its records.',
        args: {
          where: t.arg({
            type: SRRFilter,
            description: 'Only records to which all of these conditions apply.',
          }),
          orderBy: t.arg({ type: SRROrder, description: 'Newest first when absent.' }),
        },
        resolve: ({ id }, args, context) => recordPage(args, context, { collection: addressOf(id) }),
      },
      SRRConnection,
    ),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was deployed.',
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

const CollectionFilter = builder.inputType('CollectionFilter', {
  description: 'Which collections; all conditions must hold.',
  fields: (t) => ({
    owner: t.field({ type: 'Address', description: 'Owned by this licensed user.' }),
    nameContains: t.string({ description: 'With this in their name, in any letter case.' }),
  }),
});

builder.queryFields((t) => ({
  collection: t.field({
    type: Collection,
    description: 'One collection by its contract. Null when there is none.',
    args: { address: t.arg({ type: 'Address', required: true, description: 'Of the contract.' }) },
    resolve: (_root, { address }, context) => collectionByAddress(address, context),
  }),
  collections: t.connection(
    {
      type: Collection,
      nullable: false,
      description: 'Collections, newest first.',
      args: {
        where: t.arg({
          type: CollectionFilter,
          description: 'Only collections to which all of these conditions apply.',
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
