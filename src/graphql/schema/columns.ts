import { collectFields } from '@graphql-tools/utils';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  Kind,
} from 'graphql';
import type { PageColumns } from '../../catalog/catalog.ts';
import { defaultFirst, isPageSize, maxFirst } from '../../model/page-size.ts';

// Each field of a record, user, collection or history declares the columns of its row that it needs. From
// these and the caller's selection the subgraph's query is made, so that it asks only for needed columns.

type Field = GraphQLField<unknown, unknown>;

/** The columns of a field, or a function that derives them from its selection. */
type Columns = string | ((field: FieldNode, definition: Field, level: Level) => string);

/** A level of nested selections in a query. */
interface Level {
  info: GraphQLResolveInfo;
  /** The most rows that the subgraph returns at this level. */
  rows: number;
  /** Called when the columns depend on variables or on `rows`. */
  varies(): void;
}

const columns = (columns: Columns) => ({ extensions: { columns } });

/** Columns that are entities, with the selection for a field that needs only the column. */
const nested: Record<string, string> = {
  collection: 'collection { id }',
  historyType: 'historyType { name }',
};

const textOf = (names: readonly string[]) => names.map((name) => nested[name] ?? name).join(' ');

/** Options of a field that is read from these columns of its parent, which is a row of the subgraph. */
export function fromColumns<Row>() {
  return <Name extends keyof Row & string, Value>(
    names: readonly Name[],
    read: (row: Pick<Row, Name>) => Value,
  ) => ({ ...columns(textOf(names)), resolve: read });
}

/** Like `fromColumns`, for a field with a resolver of its own. */
export const needs = (...names: string[]) => columns(textOf(names));

/** The address in a column: the subgraph has it in lower case. */
export const addressOf = (column: string): Address => parseAddress(column) as Address;

/** Options of a field that resolves to the row at the other end of a relation. */
export const relation = (name: string) =>
  columns((field, definition, level) => {
    const type = getNamedType(definition.type) as GraphQLObjectType;
    return `${name} { ${selectionOf(type, [field], level) || 'id'} }`;
  });

/** Maximum of children in one answer of the subgraph, which bounds its size. */
const maxChildren = 10_000;

/** Alias of the children among a row's columns, by the number requested. */
export const childrenKey = (name: string, size: number): string => `${name}${size}`;

/**
 * Options of a connection of the row's own children. Its first page comes with the row in one request. For
 * other pages only the row's id is needed.
 */
export const children = (name: string, orderBy: string, nodeOf = (below: string) => below) =>
  columns((field, definition, level) => {
    // Without variables the text is always the same, unless it depends on whether the children fit the page above.
    const fixed = !field.arguments?.some(({ value }) => value.kind === Kind.VARIABLE);
    const first = firstPage(field, definition, level);
    if (!fixed || (first ?? 0) * maxFirst > maxChildren) level.varies();
    if (first === undefined || first * level.rows > maxChildren) return 'id';
    const { select, cursors } = connectionColumns(definition, [field], {
      ...level,
      rows: first * level.rows,
    });
    const below = `${nodeOf(select)} ${cursors ? `id ${orderBy}` : ''}`.trim() || 'id';
    const size = first + 1;
    return `${childrenKey(name, size)}: ${name}(first: ${size}, orderBy: ${orderBy}, orderDirection: asc) { ${below} }`;
  });

/** The page size of a connection if it is the first page; undefined for others, and for bad arguments. */
function firstPage(field: FieldNode, definition: Field, { info }: Level): number | undefined {
  try {
    const { first, after, last, before } = getArgumentValues(definition, field, info.variableValues);
    const size = first ?? defaultFirst;
    const usable = after == null && last == null && before == null;
    return usable && isPageSize(size) ? size : undefined;
  } catch {
    // The field itself reports the argument.
    return undefined;
  }
}

/** The columns of the object that a field returns. `type` names it if the field may return several types. */
export function columnsOf(info: GraphQLResolveInfo, type?: GraphQLObjectType): string {
  if (type) return selectionOf(type, info.fieldNodes, { info, rows: 1, varies() {} });
  return cached(info, 1, (level) => {
    const type = getNamedType(info.returnType) as GraphQLObjectType;
    return { ...none, select: selectionOf(type, info.fieldNodes, level) };
  }).select;
}

const none: PageColumns = { select: '', cursors: false, pageInfo: false, edges: false };

/** The columns of a connection's rows, for a page of `rows` rows. */
export function pageColumnsOf(info: GraphQLResolveInfo, rows: number): PageColumns {
  return cached(info, rows, (level) => {
    const definition = info.parentType.getFields()[info.fieldName] as Field;
    return connectionColumns(definition, info.fieldNodes, level);
  });
}

/** Columns cached by the field's nodes, which are the same objects in every execution of a prepared read. */
const known = new WeakMap<readonly FieldNode[], PageColumns>();

function cached(info: GraphQLResolveInfo, rows: number, find: (level: Level) => PageColumns): PageColumns {
  const before = known.get(info.fieldNodes);
  if (before) return before;
  let varies = false;
  const columns = find({
    info,
    rows,
    varies: () => {
      varies = true;
    },
  });
  if (!varies) known.set(info.fieldNodes, columns);
  return columns;
}

function connectionColumns(definition: Field, fields: readonly FieldNode[], level: Level): PageColumns {
  const connection = getNamedType(definition.type) as GraphQLObjectType;
  const edge = getNamedType(connection.getFields().edges?.type) as GraphQLObjectType;
  const node = getNamedType(edge.getFields().node?.type) as GraphQLObjectType;
  const below = fieldsOf(connection, fields, level);
  const byName = (fields: FieldNode[], name: string) => fields.filter((field) => field.name.value === name);
  const edges = byName(below, 'edges');
  const inEdges = fieldsOf(edge, edges, level);
  const nodes = byName(inEdges, 'node');
  const pageInfo = byName(below, 'pageInfo').length > 0;
  const cursors = pageInfo || byName(inEdges, 'cursor').length > 0;
  return { select: selectionOf(node, nodes, level), cursors, pageInfo, edges: edges.length > 0 };
}

function selectionOf(type: GraphQLObjectType, parents: readonly FieldNode[], level: Level): string {
  const parts = new Set<string>();
  const definitions = type.getFields();
  for (const field of fieldsOf(type, parents, level)) {
    const definition = definitions[field.name.value];
    const columns = definition?.extensions.columns as Columns | undefined;
    if (!definition || columns === undefined) continue;
    const found = typeof columns === 'string' ? columns : columns(field, definition, level);
    if (found !== '') parts.add(found);
  }
  return [...parts].join(' ');
}

/** The fields selected below `parents`. */
function fieldsOf(type: GraphQLObjectType, parents: readonly FieldNode[], { info }: Level): FieldNode[] {
  const { schema, fragments, variableValues } = info;
  return parents.flatMap(({ selectionSet }) => {
    if (!selectionSet) return [];
    return [...collectFields(schema, fragments, variableValues, type, selectionSet).fields.values()].flat();
  });
}
