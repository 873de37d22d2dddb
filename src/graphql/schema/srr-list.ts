import type { GraphQLResolveInfo } from 'graphql';
import type { PageArgs, PageColumns, RecordFilter, SrrRecord } from '../../catalog/catalog.ts';
import { defaultFirst } from '../../model/page-size.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { pageColumnsOf } from './columns.ts';
import { databaseText } from './database-text.ts';
import { listOrder, timeFields } from './list-order.ts';
import { orFailedEdges } from './page.ts';
import { RecordSource } from './record-source.ts';

/** The value of an `SRRFilter` input: what `RecordFilter` has, where null counts as not given. */
type SRRFilterValue = {
  [Name in Exclude<keyof RecordFilter, 'customHistory' | 'or'>]?: RecordFilter[Name] | null;
} & { or?: SRRFilterValue[] | null };

export const SRRFilter = builder.inputRef<SRRFilterValue>('SRRFilter').implement({
  description: 'Conditions on records. A record must meet all that are given; null counts as not given.',
  fields: (t) => ({
    tokenIds: t.field({ type: ['TokenId'], description: 'Records with one of these token ids.' }),
    owner: t.field({ type: 'Address', description: 'Records owned by this address.' }),
    issuer: t.field({
      type: 'Address',
      description: 'Records issued by the licensed user with this wallet address.',
    }),
    artist: t.field({
      type: 'Address',
      description: 'Records by the artist with this wallet address, who need not be a licensed user.',
    }),
    collection: t.field({
      type: 'Address',
      description:
        'Records in the collection at this contract address. The registry’s address selects records without a collection.',
    }),
    owners: t.field({ type: ['Address'], description: 'Records owned by one of these addresses.' }),
    issuers: t.field({
      type: ['Address'],
      description: 'Records issued by one of the licensed users with these wallet addresses.',
    }),
    artists: t.field({
      type: ['Address'],
      description: 'Records by one of the artists with these wallet addresses.',
    }),
    collections: t.field({
      type: ['Address'],
      description:
        'Records in one of the collections at these contract addresses. The registry’s address stands for records without a collection.',
    }),
    artistNameContains: t.string({
      description:
        'Records whose artist is a licensed user with this text in the English or original name, ignoring the case of the letters A to Z.',
    }),
    inRegistry: t.boolean({ description: 'Records in the registry (true), or in any collection (false).' }),
    isPrimaryIssuer: t.boolean({
      description: 'Records whose issuer is the primary issuer (true), or is not (false).',
    }),
    lockExternalTransfer: t.boolean({
      description:
        'Records whose transfer by the standard ERC-721 methods is forbidden (true), or allowed (false).',
    }),
    metadataCIDs: t.field({
      type: ['CID'],
      description: 'Records whose current metadata document has one of these CIDs.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'Records minted after this time.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Records minted before this time.' }),
    updatedAfter: t.field({
      type: 'DateTime',
      description:
        'Records that changed after this time. A change of the transfer lock does not count, as for SRR.updatedAt.',
    }),
    updatedBefore: t.field({
      type: 'DateTime',
      description: 'Records that last changed before this time.',
    }),
    or: t.field({ type: [SRRFilter], description: 'Records that also meet at least one of these filters.' }),
  }),
});

export const SRROrder = builder.enumType('SRROrder', {
  description:
    'The order of a list of records. Records with equal values are ordered by their id in the subgraph.',
  values: {
    CREATED_AT_ASC: { description: 'By the time of minting, oldest first.' },
    CREATED_AT_DESC: { description: 'By the time of minting, newest first.' },
    UPDATED_AT_ASC: { description: 'By the time of the last change, longest unchanged first.' },
    UPDATED_AT_DESC: { description: 'By the time of the last change, last changed first.' },
    TOKEN_ID_ASC: {
      description:
        'By token id as text, as the subgraph stores it: "10" comes before "9". Ids of equal length are in numeric order.',
    },
    TOKEN_ID_DESC: { description: 'By token id as text, in reverse: "9" comes before "10".' },
  } as const,
});

type OrderName = typeof SRROrder.$inferType;

const orderOf = listOrder<SrrRecord>({
  ...timeFields,
  TOKEN_ID: { field: 'tokenId', valueOf: (row) => row.tokenId ?? '' },
});

export const srrOrderArgs = builder.args((t) => ({
  orderBy: t.field({
    type: SRROrder,
    description: 'The order of the list. The default is CREATED_AT_DESC (newest first).',
  }),
}));

export const srrListArgs = {
  ...builder.args((t) => ({
    where: t.field({ type: SRRFilter, description: 'Lists only records that meet all of these conditions.' }),
  })),
  ...srrOrderArgs,
};

/** The arguments of a list of records. */
interface SRRListArgs extends PageArgs {
  orderBy?: OrderName | null;
  where?: SRRFilterValue | null;
}

/** A page of records. `only` restricts it in addition to the caller's own filter. */
export function recordPage(
  args: SRRListArgs,
  context: Context,
  info: GraphQLResolveInfo,
  only: RecordFilter = {},
) {
  const columns = pageColumnsOf(info, args.first ?? args.last ?? defaultFirst);
  return orFailedEdges(readPage(args, context, columns, only), columns);
}

async function readPage(args: SRRListArgs, context: Context, columns: PageColumns, only: RecordFilter) {
  const own = recordFilter(args.where ?? {});
  const filter = Object.keys(own).length > 0 ? { ...only, or: [own] } : only;
  const order = orderOf(args.orderBy ?? 'CREATED_AT_DESC');
  const { edges, pageInfo, block } = await context.loaders.reads.srrs(args, order, filter, columns);
  return {
    pageInfo,
    edges: edges.map((edge) => edge.with(RecordSource.ofRow(edge.node, block))),
  };
}

function recordFilter({ or, ...value }: SRRFilterValue, path = ['where']): RecordFilter {
  databaseText(value.artistNameContains, [...path, 'artistNameContains']);
  const present = Object.entries(value).filter(([, inner]) => inner != null);
  return {
    ...Object.fromEntries(present),
    ...(or && { or: or.map((one, i) => recordFilter(one, [...path, 'or', String(i)])) }),
  };
}
