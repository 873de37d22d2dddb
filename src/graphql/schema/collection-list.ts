import type { GraphQLResolveInfo } from 'graphql';
import type { CollectionFilter as Filter, PageArgs } from '../../catalog/catalog.ts';
import { defaultFirst } from '../../model/page-size.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { pageColumnsOf } from './columns.ts';
import { byName, listOrder, timeFields } from './list-order.ts';
import { orFailedEdges } from './page.ts';

export const CollectionFilter = builder.inputType('CollectionFilter', {
  description:
    'Conditions on collections. A collection must meet all that are given; null counts as not given.',
  fields: (t) => ({
    owner: t.field({ type: 'Address', description: 'Collections owned by this address.' }),
    creator: t.field({
      type: 'Address',
      description:
        'Collections that this address had deployed, whoever owns them now. With an old subgraph, which does not know the creator, the list fails.',
    }),
    addresses: t.field({
      type: ['Address'],
      description: 'Collections at one of these contract addresses.',
    }),
    nameContains: t.string({
      description: 'Collections whose name contains this text, ignoring the case of the letters A to Z.',
    }),
  }),
});

export const CollectionOrder = builder.enumType('CollectionOrder', {
  description: 'The order of a list of collections. Collections with equal values are ordered by address.',
  values: {
    CREATED_AT_ASC: { description: 'By the time of deployment, oldest first.' },
    CREATED_AT_DESC: { description: 'By the time of deployment, newest first.' },
    UPDATED_AT_ASC: { description: 'By the time of the last change, longest unchanged first.' },
    UPDATED_AT_DESC: { description: 'By the time of the last change, last changed first.' },
    ...byName('name'),
  } as const,
});

const orderOf = listOrder<{ createdAt: string; updatedAt: string; name: string }>({
  ...timeFields,
  NAME: { field: 'name', text: true, valueOf: ({ name }) => name },
});

/** A page of collections, newest first by default. */
export function collectionPage(
  args: PageArgs & { orderBy?: typeof CollectionOrder.$inferType | null | undefined },
  { loaders }: Context,
  info: GraphQLResolveInfo,
  filter: Filter,
) {
  const columns = pageColumnsOf(info, args.first ?? args.last ?? defaultFirst);
  const order = orderOf(args.orderBy ?? 'CREATED_AT_DESC');
  return orFailedEdges(loaders.reads.collectionPage(args, order, filter, columns), columns);
}
