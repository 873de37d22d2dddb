import type { Address } from '@srr-gateway/common/address';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../execution/context.ts';
import { defaultFirst } from '../execution/limits/cost.ts';
import { pageColumnsOf } from './columns.ts';
import { type ListArgs, orFailedEdges } from './page.ts';

/** A page of collections, newest first. */
export function collectionPage(
  args: ListArgs,
  { loaders }: Context,
  info: GraphQLResolveInfo,
  filter: { owner?: Address | undefined; nameContains?: string | undefined },
) {
  const columns = pageColumnsOf(info, args.first ?? args.last ?? defaultFirst);
  return orFailedEdges(loaders.reads.collectionPage(args, filter, columns));
}
