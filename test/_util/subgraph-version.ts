import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  buildSchema,
  extendSchema,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  graphql,
  isLeafType,
  isListType,
  Kind,
  parse,
  visit,
} from 'graphql';
import { required } from '../../src/clients/subgraph/older-schema.ts';
import { reply, serve, type TestServer } from './http-server.ts';

// A subgraph of another version: the same dialect with a schema that has more or fewer fields.

const sdl = readFileSync(new URL('../../schema/subgraph.graphql', import.meta.url), 'utf8');

const newest = buildSchema(sdl);

export const withMore = (extension: string): GraphQLSchema => extendSchema(newest, parse(extension));

/** The subgraph's columns of a type, by name. */
const columnsOf = (type: string) => (newest.getType(type) as GraphQLObjectType).getFields();

/** The schema without optional columns; without relations, it also lacks lists and collections. */
export function withRequired({ relations }: { relations: boolean }): GraphQLSchema {
  const lacked = Object.entries(required).map(([type, kept]) => {
    const later = Object.values(columnsOf(type)).filter(({ name }) => !kept.includes(name));
    return [type, later.filter((one) => !relations || isLeafColumn(one)).map(({ name }) => name)];
  });
  return withLess({ fields: Object.fromEntries(lacked), types: relations ? [] : ['Collection'] });
}

const isLeafColumn = ({ type }: GraphQLField<unknown, unknown>) => isLeafType(getNamedType(type));

const values: Record<string, unknown> = {
  ID: '0x00',
  String: 'a text',
  Boolean: true,
  Int: 1000,
  BigInt: '1700000000000',
  Bytes: `0x${'3'.padStart(40, '0')}`,
};

/** A row with a value in every column except relations, including the columns of a new version. */
export const anyRow = (type: string): Row =>
  Object.fromEntries(
    Object.values(columnsOf(type))
      .filter(isLeafColumn)
      .map(({ name, type }) => {
        const value = values[getNamedType(type).name];
        return [name, isListType(getNullableType(type)) ? [value] : value];
      }),
  );

const members: string[] = [Kind.FIELD_DEFINITION, Kind.INPUT_VALUE_DEFINITION, Kind.ENUM_VALUE_DEFINITION];

/** The schema without some fields, with their filters and orders, or without whole types. */
export function withLess(less: { fields: Record<string, string[]>; types?: string[] }): GraphQLSchema {
  const gone = new Set((less.types ?? []).flatMap((type) => [type, `${type}_filter`, `${type}_orderBy`]));
  const lacks = (owner: string, name: string) => {
    const type = owner.replace(/_(filter|orderBy)$/, '');
    // Names in filters and orders are the field's name and an operator, or a field of the related row.
    const bare = owner === type ? name : name.replace(/_.*/, '');
    return less.fields[type]?.includes(bare);
  };
  const document = visit(parse(sdl), {
    enter: (node, _key, _parent, _path, ancestors) => {
      const name = nameOf(node);
      if (name === undefined || !node.kind.endsWith('Definition')) return undefined;
      const owner = ancestors.findLast((one) => nameOf(one) !== undefined);
      const cut = members.includes(node.kind) ? lacks(nameOf(owner) ?? '', name) : gone.has(name);
      return cut ? null : undefined;
    },
  });
  return buildASTSchema(document);
}

const nameOf = (node: unknown) => (node as { name?: { value: string } } | undefined)?.name?.value;

type Row = Record<string, unknown>;

export interface VersionServer extends TestServer {
  /** The operations that it has refused. */
  refused: string[];
}

/** Serves fixed rows by root field, with the sorting and filters of the dialect that the gateway uses. */
export async function serveVersion(
  schema: GraphQLSchema,
  rows: () => Record<string, Row[]>,
): Promise<VersionServer> {
  const refused: string[] = [];
  const meta = {
    block: { number: 7, hash: `0x${'7'.padStart(64, '0')}`, timestamp: 1_700_000_000 },
    deployment: 'Qm',
    hasIndexingErrors: false,
  };
  const server = await serve(async (request, response) => {
    const { query, variables } = request.json<{ query: string; variables: Record<string, unknown> }>();
    const lists = Object.entries(rows()).map(([name, list]) => [
      name,
      (args: { where?: Row; first: number; orderBy?: string; orderDirection?: string }) => {
        const found = list.filter((row) => matches(row, args.where ?? {}));
        const ways = args.orderDirection === 'desc' ? -1 : 1;
        const { orderBy = 'id' } = args;
        found.sort((a, b) => ways * (compare(a[orderBy], b[orderBy]) || compare(a.id, b.id)));
        return found.slice(0, args.first);
      },
    ]);
    const rootValue = { ...Object.fromEntries(lists), _meta: meta };
    const answer = await graphql({ schema, source: query, variableValues: variables, rootValue });
    if (answer.errors) refused.push(query);
    reply(response, 200, answer);
  });
  return { ...server, refused };
}

/** Compares times, which are whole numbers as text, as numbers, and other text by its bytes. */
function compare(a: unknown, b: unknown): number {
  const [one, other] = [String(a), String(b)];
  const numbers = /^\d{13}$/.test(one) && /^\d{13}$/.test(other);
  return numbers ? Number(one) - Number(other) : Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Ignores the case of the letters A to Z only, like a hosted subgraph. */
const folded = (text: unknown) => String(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** SQL's `like`, to which a hosted subgraph passes a text unchanged, with a % at both ends if it has none. */
const like = (text: string, wanted: string): boolean => {
  const pattern = /^%|%$/.test(wanted) ? wanted : `%${wanted}%`;
  const source = pattern.replace(/\\.|[%_]|./gsu, (part) => {
    if (part === '%') return '.*';
    return part === '_' ? '.' : `\\u{${[...part].at(-1)?.codePointAt(0)?.toString(16)}}`;
  });
  return new RegExp(`^${source}$`, 'su').test(text);
};

const idOf = (value: unknown) => (typeof value === 'object' && value ? (value as Row).id : (value ?? null));

const operators: Record<string, (value: unknown, wanted: never) => boolean> = {
  in: (value, wanted: unknown[]) => wanted.includes(idOf(value)),
  gt: (value, wanted: string) => compare(value, wanted) > 0,
  lt: (value, wanted: string) => compare(value, wanted) < 0,
  not: (value, wanted: unknown) => idOf(value) !== wanted,
  contains_nocase: (value, wanted: string) => like(folded(value), folded(wanted)),
  // A filter on a related row, or on some row of a list.
  '': (value, wanted: Row) => [value ?? []].flat().some((one) => matches(one as Row, wanted)),
};

function matches(row: Row, where: Row): boolean {
  const keys = Object.keys(where);
  // A hosted subgraph accepts no column beside `or`, and the gateway never sends one beside `and`.
  if (keys.length > 1 && (keys.includes('or') || keys.includes('and'))) throw new Error('mixed columns');
  return Object.entries(where).every(([key, wanted]) => {
    if (key === 'or') return (wanted as Row[]).some((part) => matches(row, part));
    if (key === 'and') return (wanted as Row[]).every((part) => matches(row, part));
    const [, name = key, operator] = /^([^_]+)_(.*)$/.exec(key) ?? [];
    if (operator === undefined) return idOf(row[name]) === wanted;
    const holds = operators[operator];
    if (!holds) throw new Error(`the filter ${key} is not known here`);
    return holds(row[name], wanted as never);
  });
}
