import { edgeOf, type Order, type RecordFilter, type SrrRecord } from '../../catalog/catalog.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { orFailedEdges } from '../page.ts';
import { recordOfRow } from '../record-source.ts';

export interface SRRFilterValue {
  tokenIds?: string[] | null;
  owner?: `0x${string}` | null;
  issuer?: `0x${string}` | null;
  artist?: `0x${string}` | null;
  collection?: `0x${string}` | null;
  inRegistry?: boolean | null;
  isPrimaryIssuer?: boolean | null;
  lockExternalTransfer?: boolean | null;
  metadataCIDs?: string[] | null;
  createdAfter?: Date | null;
  createdBefore?: Date | null;
  or?: SRRFilterValue[] | null;
}

export const SRRFilter = builder.inputRef<SRRFilterValue>('SRRFilter').implement({
  description: 'Which records; all conditions must hold.',
  fields: (t) => ({
    tokenIds: t.field({ type: ['TokenId'], description: 'With one of these token ids.' }),
    owner: t.field({ type: 'Address', description: 'Owned by this address.' }),
    issuer: t.field({ type: 'Address', description: 'Issued by this licensed user.' }),
    artist: t.field({ type: 'Address', description: 'Of this artist.' }),
    collection: t.field({ type: 'Address', description: 'In this collection.' }),
    inRegistry: t.boolean({ description: 'In the registry (true), or in any collection (false).' }),
    isPrimaryIssuer: t.boolean({ description: 'Issued by its primary issuer, or not.' }),
    lockExternalTransfer: t.boolean({ description: 'Locked for marketplaces, or not.' }),
    metadataCIDs: t.field({ type: ['CID'], description: 'With one of these metadata documents.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Minted after this moment.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Minted before this moment.' }),
    or: t.field({ type: [SRRFilter], description: 'And at least one of these holds.' }),
  }),
});

export const SRROrder = builder.enumType('SRROrder', {
  description: 'The order of records; those of one value follow their id.',
  values: {
    CREATED_AT_ASC: { description: 'Oldest first.' },
    CREATED_AT_DESC: { description: 'Newest first.' },
    UPDATED_AT_ASC: { description: 'Longest unchanged first.' },
    UPDATED_AT_DESC: { description: 'Last changed first.' },
    TOKEN_ID_ASC: {
      description:
        'By token id as text, which is how the index holds it: "10" comes before "9". Ids of one length are in the order of their numbers.',
    },
    TOKEN_ID_DESC: { description: 'By token id as text, backwards: "9" comes before "10".' },
  } as const,
});

type OrderName = typeof SRROrder.$inferType;

const fields = {
  CREATED_AT: { field: 'createdAt', valueOf: (row: SrrRecord) => row.createdAt },
  UPDATED_AT: { field: 'updatedAt', valueOf: (row: SrrRecord) => row.updatedAt },
  TOKEN_ID: { field: 'tokenId', valueOf: (row: SrrRecord) => row.tokenId ?? '' },
};

function orderOf(name: OrderName): Order<SrrRecord> {
  const descending = name.endsWith('_DESC');
  const field = name.replace(/_(ASC|DESC)$/, '') as keyof typeof fields;
  return { ...fields[field], direction: descending ? 'desc' : 'asc' };
}

export interface SRRListArgs {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  orderBy?: OrderName | null;
  where?: SRRFilterValue | null;
}

/** A page of records; `only` is joined to the caller's own filter. */
export function recordPage(args: SRRListArgs, context: Context, only: RecordFilter = {}) {
  return orFailedEdges(readPage(args, context, only));
}

async function readPage(args: SRRListArgs, context: Context, only: RecordFilter) {
  const own = recordFilter(args.where ?? {});
  const filter = Object.keys(own).length > 0 ? { ...only, or: [own] } : only;
  const order = orderOf(args.orderBy ?? 'CREATED_AT_DESC');
  const { edges, pageInfo, block } = await context.fresh.reads.srrs(args, order, filter);
  return {
    pageInfo,
    edges: edges.map((edge) => edgeOf(recordOfRow(edge.node, block.number), () => edge.cursor)),
  };
}

function recordFilter({ or, ...value }: SRRFilterValue): RecordFilter {
  const present = Object.entries(value).filter(([, inner]) => inner != null);
  return { ...Object.fromEntries(present), ...(or && { or: or.map(recordFilter) }) };
}
