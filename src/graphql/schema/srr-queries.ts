import { builder } from './builder.ts';
import { columnsOf } from './columns.ts';
import { bothWays } from './page.ts';
import { recordOfKey, recordOrNull } from './record-source.ts';
import { SRR, SRRConnection } from './refs.ts';
import { recordPage, srrListArgs } from './srr-list.ts';

builder.queryFields((t) => ({
  srr: t.field({
    type: SRR,
    description:
      'Fetches a record by its token id and contract. Null when neither the subgraph nor the caller’s own issuances have it. While the subgraph cannot be read, every record is returned with indexing UNAVAILABLE, also one that does not exist.',
    args: {
      tokenId: t.arg({
        type: 'TokenId',
        required: true,
        description: 'The token id, which is unique within its contract.',
      }),
      collection: t.arg({
        type: 'Address',
        description:
          'The contract address of the record’s collection. When it is absent or the registry’s own address, the record is looked up in the registry.',
      }),
    },
    resolve: (_root, { tokenId, collection }, context, info) => {
      const { reads } = context.loaders;
      return recordOrNull(recordOfKey(reads.keyOf(collection, tokenId), reads, columnsOf(info)), context);
    },
  }),
  srrs: t.connection(
    {
      type: SRR,
      nullable: false,
      description: `Lists records from the subgraph, newest first unless orderBy says otherwise. All pages that follow by cursor are read at the block of the first, so no record repeats and none is missed. ${bothWays}`,
      args: srrListArgs,
      resolve: (_root, args, context, info) => recordPage(args, context, info),
    },
    SRRConnection,
  ),
}));
