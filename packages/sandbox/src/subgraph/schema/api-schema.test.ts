import { buildSchema, GraphQLEnumType, GraphQLInputObjectType, GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { apiSchema, printSubgraphSchema } from './api-schema.ts';
import { parseEntities } from './entity-model.ts';
import { rootNames } from './root-names.ts';

describe('root field names', () => {
  it.each([
    ['SRR', 'srr', 'srrs'],
    ['LicensedUserWallet', 'licensedUserWallet', 'licensedUserWallets'],
    ['CustomHistory', 'customHistory', 'customHistories'],
    ['CustomHistoryMetadataHistory', 'customHistoryMetadataHistory', 'customHistoryMetadataHistories'],
    ['SRRProvenance', 'srrprovenance', 'srrprovenances'],
    ['SRRMetadataHistory', 'srrmetadataHistory', 'srrmetadataHistories'],
    ['SRRTransferCommit', 'srrtransferCommit', 'srrtransferCommits'],
    ['MetaTxRequestType', 'metaTxRequestType', 'metaTxRequestTypes'],
    ['BulkIssue', 'bulkIssue', 'bulkIssues'],
  ])('of %s are those of the live index', (entity, one, many) => {
    expect(rootNames(entity)).toEqual({ one, many });
  });
});

describe('the API schema of an entity', () => {
  const schema = apiSchema(
    parseEntities(`
      type Book @entity { id: ID! title: String! pages: Int author: Author! tags: [Bytes!] isOld: Boolean }
      type Author @entity { id: ID! born: BigInt key: Bytes books: [Book!]! @derivedFrom(field: "author") }
    `),
  );
  const filter = (name: string) => {
    const type = schema.getType(name);
    if (!(type instanceof GraphQLInputObjectType)) throw new Error(`${name} is no input`);
    return Object.keys(type.getFields());
  };
  const compared = ['', '_not', '_gt', '_lt', '_gte', '_lte', '_in', '_not_in'];

  it('has the operators of each type', () => {
    const author = filter('Author_filter');
    for (const suffix of compared) expect(author).toContain(`born${suffix}`);
    expect(author.filter((name) => name.startsWith('key'))).toEqual([
      ...compared.map((suffix) => `key${suffix}`),
      'key_contains',
      'key_not_contains',
    ]);
    const book = filter('Book_filter');
    expect(book.filter((name) => name.startsWith('isOld'))).toEqual([
      'isOld',
      'isOld_not',
      'isOld_in',
      'isOld_not_in',
    ]);
    expect(book.filter((name) => name.startsWith('tags'))).toEqual([
      'tags',
      'tags_not',
      'tags_contains',
      'tags_not_contains',
    ]);
    for (const name of [
      'title_not_ends_with_nocase',
      'author_starts_with',
      'author_',
      '_change_block',
      'and',
      'or',
    ]) {
      expect(book).toContain(name);
    }
  });

  it('filters derived lists only by a nested filter', () => {
    expect(filter('Author_filter').filter((name) => name.startsWith('books'))).toEqual(['books_']);
  });

  it('orders by the scalar fields of references', () => {
    const order = schema.getType('Book_orderBy');
    if (!(order instanceof GraphQLEnumType)) throw new Error('no enum');
    expect(order.getValues().map((value) => value.name)).toEqual([
      'id',
      'title',
      'pages',
      'author',
      'author__id',
      'author__born',
      'author__key',
      'tags',
      'isOld',
    ]);
  });

  it('gives nested lists the arguments of root lists', () => {
    const author = schema.getType('Author');
    if (!(author instanceof GraphQLObjectType)) throw new Error('no object');
    const [...names] = author.getFields().books?.args.map((argument) => argument.name) ?? [];
    expect(names).toEqual(['skip', 'first', 'orderBy', 'orderDirection', 'where']);
  });
});

it('the printed schema is a valid one', () => {
  expect(Object.keys(buildSchema(printSubgraphSchema()).getQueryType()?.getFields() ?? {})).toContain(
    '_meta',
  );
});
