import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { expect, it } from 'vitest';
import { optional } from './older-schema.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

const times = ['createdAt', 'updatedAt'];
/** Columns that every subgraph has. A read fails where one of them is missing. */
const everywhere: Record<string, readonly string[]> = {
  _Meta_: ['block', 'hasIndexingErrors'],
  _Block_: ['number'],
  SRR: ['id', 'tokenId', 'issuer', 'artist', 'artistAddress', 'ownerAddress', 'metadataDigest', ...times],
  LicensedUserWallet: [
    'id',
    'walletAddress',
    'threshold',
    'englishName',
    'originalName',
    'userType',
    'owners',
    ...times,
  ],
  Collection: ['id', 'name', 'symbol', 'ownerAddress', ...times],
  CustomHistory: ['id', 'name', 'historyType', 'metadataDigest', 'createdAt'],
  CustomHistoryType: ['name'],
  SRRProvenance: ['id', 'timestamp', 'from', 'to', 'metadataDigest', 'metadataURI'],
  SRRMetadataHistory: ['id', 'metadataDigest', 'createdAt'],
  SRRHistory: ['id', 'createdAt', 'customHistory'],
};

it('every column that is read is one that an older subgraph may lack, or one that all have', () => {
  const info = new TypeInfo(buildSchema(read('../../../schema/subgraph.graphql')));
  const undecided: string[] = [];
  visit(
    parse(read('operations/fragments.graphql')),
    visitWithTypeInfo(info, {
      Field: ({ name: { value: column } }) => {
        const type = info.getParentType()?.name ?? '';
        if (![optional[type], everywhere[type]].some((columns) => columns?.includes(column)))
          undecided.push(`${type}.${column}`);
      },
    }),
  );
  expect(
    undecided,
    'A new column belongs in `optional` of older-schema.ts; in `everywhere` of this test if no subgraph lacks it.',
  ).toEqual([]);
});
