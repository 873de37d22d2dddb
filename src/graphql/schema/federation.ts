import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { GatewayError } from '../../model/errors.ts';
import { type RecordKey, recordKeyIn } from '../../model/record.ts';
import { isTokenId } from '../../model/token-id.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { columnsOf } from './columns.ts';
import { errorsAsItems } from './errors-as-items.ts';
import { printSubgraphSchema } from './federation-sdl.ts';
import { RecordSource, recordOfKey, recordOrNull } from './record-source.ts';
import { Collection, LicensedUser, SRR } from './refs.ts';
import { idOf } from './relay-options.ts';

// The fields of an Apollo Federation subgraph, for a router. The names are those of the specification.

builder.scalarType('_Any', {
  description: 'A representation of an entity: an object with __typename and the fields of one of its keys.',
  serialize: (value) => value,
  // Check each representation separately, so that a wrong one does not fail the others.
  parseValue: (value) => value,
});

const Entity = builder.unionType('_Entity', {
  description: 'The types that other subgraphs of a supergraph may extend.',
  types: [SRR, LicensedUser, Collection],
  resolveType: (value) =>
    value instanceof RecordSource ? SRR : 'walletAddress' in value ? LicensedUser : Collection,
});

const Service = builder.objectRef<object>('_Service').implement({
  description: 'Facts about this subgraph, for the router of a supergraph.',
  fields: (t) => ({
    sdl: t.string({
      nullable: false,
      description: 'The schema with the directives of Apollo Federation 2.',
      resolve: (_service, _args, _context, { schema }) => printSubgraphSchema(schema),
    }),
  }),
});

builder.queryFields((t) => ({
  _service: t.field({
    type: Service,
    nullable: false,
    description: 'The schema of this subgraph, for the composition of a supergraph.',
    resolve: () => ({}),
  }),
  _entities: t.field({
    type: [Entity],
    nullable: { list: false, items: true },
    description:
      'The entities of these representations, in their order, for the router of a supergraph. An item is null when the entity does not exist, and null with an error when its representation is wrong. Beyond a thousand errors the whole field fails.',
    args: {
      representations: t.arg({
        type: ['_Any'],
        required: true,
        description: 'Representations of the entities: __typename and the fields of one key.',
      }),
    },
    resolve: (_root, { representations }, context, info) =>
      errorsAsItems(representations, (one, i) => entity(one, i, context, info)),
  }),
}));

/** Finds an entity by the fields of one of its keys. */
const finders = {
  SRR: (fields: Fields, context: Context, columns: string) => {
    const { reads } = context.loaders;
    const { collection, tokenId } = fields.has('id')
      ? recordKey(fields)
      : { tokenId: fields.tokenId(), collection: fields.collection() };
    return recordOrNull(recordOfKey(reads.keyOf(collection, tokenId), reads, columns), context);
  },
  // Always select the column by which `resolveType` recognises a user: rows have only the selected columns.
  LicensedUser: (fields: Fields, { loaders }: Context, columns: string) =>
    loaders.reads.licensedUser(address(fields, 'LicensedUser'), `walletAddress ${columns}`),
  Collection: (fields: Fields, { loaders }: Context, columns: string) =>
    loaders.reads.collection(address(fields, 'Collection'), columns),
};

async function entity(representation: unknown, i: number, context: Context, info: GraphQLResolveInfo) {
  const fields = new Fields(representation, ['representations', String(i)]);
  const find = Object.hasOwn(finders, fields.typename) && finders[fields.typename as keyof typeof finders];
  if (!find) throw fields.wrong('__typename', `one of ${Object.keys(finders).join(', ')}`);
  const type = info.schema.getType(fields.typename) as GraphQLObjectType;
  return find(fields, context, columnsOf(info, type));
}

function recordKey(fields: Fields): RecordKey {
  const key = recordKeyIn(idOf('SRR', fields.text('id'), fields.at('id')));
  if (!key) throw fields.wrong('id', 'the id of an SRR');
  return key;
}

function address(fields: Fields, typename: string): Address {
  if (!fields.has('id')) return fields.address();
  const found = parseAddress(idOf(typename, fields.text('id'), fields.at('id')));
  if (!found) throw fields.wrong('id', `the id of a ${typename}`);
  return found;
}

/**
 * The fields of a representation. Routers send values of the gateway's own fields, but other clients may send
 * anything.
 */
class Fields {
  readonly #values: Record<string, unknown>;
  readonly #path: string[];

  constructor(representation: unknown, path: string[]) {
    const isObject = typeof representation === 'object' && representation !== null;
    this.#values = isObject ? (representation as Record<string, unknown>) : {};
    this.#path = path;
    if (!isObject) throw this.wrong(undefined, 'an object with __typename and the fields of a key');
  }

  get typename(): string {
    return this.text('__typename');
  }

  has(name: string): boolean {
    return this.#values[name] != null;
  }

  at(name: string): string[] {
    return [...this.#path, name];
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value !== 'string') throw this.wrong(name, 'a text');
    return value;
  }

  tokenId(): string {
    const text = this.text('tokenId');
    if (!isTokenId(text))
      throw this.wrong(
        'tokenId',
        'an unsigned decimal number as text, of at most 78 digits and without leading zeros',
      );
    return text;
  }

  address(): Address {
    const found = parseAddress(this.text('address'));
    if (!found) throw this.wrong('address', '0x and 40 hex digits');
    return found;
  }

  /** The address of the record's collection; null for a record of the registry. */
  collection(): Address | null {
    const { collection } = this.#values;
    return collection == null ? null : address(new Fields(collection, this.at('collection')), 'Collection');
  }

  wrong(name: string | undefined, expected: string): GatewayError {
    const what = name === undefined ? 'A representation' : `The ${name} of a representation`;
    const path = name === undefined ? this.#path : this.at(name);
    return new GatewayError({ code: 'INVALID_INPUT', message: `${what} must be ${expected}.`, path });
  }
}
