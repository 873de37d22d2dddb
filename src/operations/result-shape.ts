import { collectFields, collectSubFields } from '@graphql-tools/utils';
import {
  type FieldNode,
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
} from 'graphql';
import { operationOf, type ParsedOperation } from '../graphql/execution/operation.ts';
import { type JsonSchema, type JsonSchemas, nullable } from './json-schema.ts';
import type { Operation } from './operations.ts';

/** A value of a result as plain JSON: its schema, and how it is made from the GraphQL value. */
export interface Shape {
  schema: JsonSchema;
  toJson(value: unknown): unknown;
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
  const operation = operationOf(schema, document, definition);
  const { fragments } = operation;
  let type = schema.getRootType(definition.operation) as GraphQLObjectType;
  let { fields } = collectFields(schema, fragments, {}, type, definition.selectionSet);
  let nodes: FieldNode[] = [];
  for (const name of path) {
    nodes = fields.get(name) ?? [];
    type = getNamedType(type.getFields()[nodes[0]?.name.value ?? '']?.type) as GraphQLObjectType;
    ({ fields } = collectSubFields(schema, fragments, {}, type, nodes));
  }
  return new Shapes(operation, schemas).object(type, nodes, true);
}

class Shapes {
  readonly #operation: ParsedOperation;
  readonly #schemas: JsonSchemas;

  constructor(operation: ParsedOperation, schemas: JsonSchemas) {
    this.#operation = operation;
    this.#schemas = schemas;
  }

  object(type: GraphQLObjectType, nodes: FieldNode[], isAnswer = false): Shape {
    const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
    const [only] = selections;
    const fields = this.#fields(type, nodes, isAnswer);
    const make = () => ({
      type: 'object',
      description: fields.some(({ key }) => key === 'edges') ? 'A page of a list.' : type.description,
      properties: Object.fromEntries(fields.map(({ name, shape }) => [name, shape.schema])),
      required: fields.map(({ name }) => name),
    });
    const toJson = (value: unknown) => {
      const record = value as Record<string, unknown>;
      return Object.fromEntries(fields.map(({ name, key, shape }) => [name, shape.toJson(record[key])]));
    };
    const isNamed = selections.length === 1 && only?.kind === Kind.FRAGMENT_SPREAD;
    return { schema: isNamed ? this.#schemas.define(only.name.value, make) : make(), toJson };
  }

  #fields(type: GraphQLObjectType, parents: FieldNode[], isAnswer: boolean) {
    return [...this.#subFields(type, parents)].map(([key, nodes]) => {
      const name = nodes[0]?.name.value ?? '';
      const field = type.getFields()[name];
      if (!field) throw new Error(`${type.name} has no field ${name}.`);
      if (name === 'edges') return { name: 'items', key, shape: this.#items(field.type, nodes, isAnswer) };
      const shape = this.#value(field.type, nodes);
      const description = field.description ?? undefined;
      return { name: key, key, shape: { ...shape, schema: { ...shape.schema, description } } };
    });
  }

  /** Trusted documents have no @skip or @include. Throws if one has, and a variable decides. */
  #subFields(type: GraphQLObjectType, parents: FieldNode[]) {
    const { schema, fragments } = this.#operation;
    return collectSubFields(schema, fragments, {}, type, parents).fields;
  }

  /**
   * The nodes of a connection's edges. A node that could not be read is null, and an error says why. So is a list
   * within an answer; a list that is the answer itself fails instead (`isKnown`).
   */
  #items(edges: GraphQLOutputType, nodes: FieldNode[], isAnswer: boolean): Shape {
    const edge = getNamedType(edges) as GraphQLObjectType;
    const inner = this.#subFields(edge, nodes).get('node') ?? [];
    const item = this.#value(edge.getFields().node?.type as GraphQLOutputType, inner);
    const schema = { type: 'array', items: item.schema, description: 'The items of this page.' };
    return {
      schema: isAnswer ? schema : nullable(schema),
      toJson: (value) =>
        asList(value)?.map((one) => item.toJson((one as { node: unknown } | null)?.node)) ?? null,
    };
  }

  #value(type: GraphQLOutputType, nodes: FieldNode[]): Shape {
    if (!isNonNullType(type)) {
      const { schema, toJson } = this.#present(type, nodes);
      return { schema: nullable(schema), toJson: (value) => (value == null ? null : toJson(value)) };
    }
    return this.#present(type.ofType, nodes);
  }

  #present(type: GraphQLOutputType, nodes: FieldNode[]): Shape {
    if (isListType(type)) {
      const item = this.#value(type.ofType, nodes);
      return {
        schema: { type: 'array', items: item.schema },
        toJson: (value) => asList(value)?.map((one) => item.toJson(one)),
      };
    }
    if (isObjectType(type)) return this.object(type, nodes);
    if (isScalarType(type) || isEnumType(type))
      return { schema: this.#schemas.leaf(type), toJson: (value) => value };
    throw new Error(`A trusted document selects the abstract type ${type}.`);
  }
}

const asList = (value: unknown) => value as unknown[] | null | undefined;
