import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { type JsonSchema, type JsonSchemas, nullable } from './json-schema.ts';
import type { Operation } from './operations.ts';

/** A value of a result as plain JSON: what it is like, and how it is made from that of GraphQL. */
export interface Shape {
  schema: JsonSchema;
  show(value: unknown): unknown;
}

/**
 * The shape of the value at `path` of an operation's result. A connection becomes an object with its `items`.
 * A selection that is one fragment becomes a definition by the fragment's name.
 */
export function resultShape(
  schema: GraphQLSchema,
  { document, definition }: Operation,
  path: readonly string[],
  schemas: JsonSchemas,
): Shape {
  const fragments = new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  let type = schema.getRootType(definition.operation) as GraphQLObjectType;
  let selections = definition.selectionSet.selections;
  for (const name of path) {
    const fields = collect(selections, fragments).get(name) ?? [];
    selections = below(fields);
    type = getNamedType(type.getFields()[fields[0]?.name.value ?? '']?.type) as GraphQLObjectType;
  }
  return new Shapes(fragments, schemas).object(type, selections);
}

class Shapes {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #schemas: JsonSchemas;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, schemas: JsonSchemas) {
    this.#fragments = fragments;
    this.#schemas = schemas;
  }

  object(type: GraphQLObjectType, selections: readonly SelectionNode[]): Shape {
    const [only] = selections;
    const fields = this.#fields(type, selections);
    const make = () => ({
      type: 'object',
      description: fields.some(({ key }) => key === 'edges') ? 'A page of a list.' : type.description,
      properties: Object.fromEntries(fields.map(({ name, shape }) => [name, shape.schema])),
      required: fields.map(({ name }) => name),
    });
    const show = (value: unknown) => {
      const shown = value as Record<string, unknown>;
      return Object.fromEntries(fields.map(({ name, key, shape }) => [name, shape.show(shown[key])]));
    };
    const isNamed = selections.length === 1 && only?.kind === Kind.FRAGMENT_SPREAD;
    return { schema: isNamed ? this.#schemas.define(only.name.value, make) : make(), show };
  }

  #fields(type: GraphQLObjectType, selections: readonly SelectionNode[]) {
    return [...collect(selections, this.#fragments)].map(([key, nodes]) => {
      const name = nodes[0]?.name.value ?? '';
      const field = type.getFields()[name];
      if (!field) throw new Error(`${type.name} has no field ${name}.`);
      if (name === 'edges') return { name: 'items', key, shape: this.#items(field.type, nodes) };
      const shape = this.#value(field.type, nodes);
      const description = field.description ?? undefined;
      return { name: key, key, shape: { ...shape, schema: { ...shape.schema, description } } };
    });
  }

  /** The nodes of a connection's edges. An edge without its node is null, and an error says why. */
  #items(edges: GraphQLOutputType, nodes: readonly FieldNode[]): Shape {
    const edge = getNamedType(edges) as GraphQLObjectType;
    const inner = collect(below(nodes), this.#fragments).get('node') ?? [];
    const item = this.#value(edge.getFields().node?.type as GraphQLOutputType, inner);
    return {
      schema: nullable({ type: 'array', items: item.schema, description: 'The items of this page.' }),
      show: (value) =>
        asList(value)?.map((one) => item.show((one as { node: unknown } | null)?.node)) ?? null,
    };
  }

  #value(type: GraphQLOutputType, nodes: readonly FieldNode[]): Shape {
    if (!isNonNullType(type)) {
      const { schema, show } = this.#present(type, nodes);
      return { schema: nullable(schema), show: (value) => (value == null ? null : show(value)) };
    }
    return this.#present(type.ofType, nodes);
  }

  #present(type: GraphQLOutputType, nodes: readonly FieldNode[]): Shape {
    if (isListType(type)) {
      const item = this.#value(type.ofType, nodes);
      return {
        schema: { type: 'array', items: item.schema },
        show: (value) => asList(value)?.map((one) => item.show(one)),
      };
    }
    if (isObjectType(type)) return this.object(type, below(nodes));
    if (isScalarType(type) || isEnumType(type))
      return { schema: this.#schemas.leaf(type), show: (value) => value };
    throw new Error(`A trusted document selects the abstract type ${type}.`);
  }
}

const asList = (value: unknown) => value as unknown[] | null | undefined;

const below = (fields: readonly FieldNode[]): SelectionNode[] =>
  fields.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);

/** The fields of a selection by the keys of the result, those of its fragments included. */
function collect(
  selections: readonly SelectionNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  fields = new Map<string, FieldNode[]>(),
): Map<string, FieldNode[]> {
  for (const one of selections) {
    if (one.kind === Kind.FIELD) {
      const key = one.alias?.value ?? one.name.value;
      fields.set(key, [...(fields.get(key) ?? []), one]);
    } else if (one.kind === Kind.FRAGMENT_SPREAD)
      collect(fragments.get(one.name.value)?.selectionSet.selections ?? [], fragments, fields);
    else collect(one.selectionSet.selections, fragments, fields);
  }
  return fields;
}
