import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
} from 'graphql';
import type { Variable } from './variables.ts';

/** JSON Schema of draft 2020-12, as OpenAPI 3.1 and MCP use it. */
export type JsonSchema = Record<string, unknown>;

/** JSON Schemas of the scalars, whose descriptions come from the GraphQL schema. */
const scalars: Record<string, JsonSchema> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Address: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
  BigInt: { type: 'string', pattern: '^-?[0-9]{1,78}$' },
  CID: { type: 'string' },
  DateTime: { type: 'string', format: 'date-time' },
  JSON: {},
  LanguageMap: { type: 'object', additionalProperties: { type: 'string' } },
  TokenId: { type: 'string', pattern: '^(0|[1-9][0-9]{0,77})$' },
  URL: { type: 'string', format: 'uri' },
};

/** Builds JSON Schemas. Each named type is defined once in `definitions`, and referenced by `prefix` and its name. */
export class JsonSchemas {
  readonly definitions: Record<string, JsonSchema> = {};
  readonly #prefix: string;

  constructor(prefix: '#/$defs/' | '#/components/schemas/') {
    this.#prefix = prefix;
  }

  /** An object with these variables as properties. */
  object(variables: readonly Variable[]): JsonSchema {
    return {
      type: 'object',
      properties: Object.fromEntries(variables.map((one) => [one.name, this.variable(one)])),
      required: variables.filter((one) => one.isRequired).map(({ name }) => name),
      additionalProperties: false,
    };
  }

  variable({ type, description, defaultValue }: Pick<Variable, 'type' | 'description' | 'defaultValue'>) {
    return {
      ...this.input(type),
      ...(description !== undefined && { description }),
      ...(defaultValue !== undefined && { default: defaultValue }),
    };
  }

  /** The schema of an input type. Where a value may be absent, null is accepted too, which is not worth mentioning. */
  input(type: GraphQLInputType): JsonSchema {
    if (isNonNullType(type)) return this.input(type.ofType);
    if (isListType(type)) return { type: 'array', items: this.input(type.ofType) };
    return this.leaf(type);
  }

  /** The schema of a named input type. */
  leaf(type: GraphQLScalarType | GraphQLEnumType | GraphQLInputObjectType): JsonSchema {
    if (isSpecifiedScalarType(type)) return scalars[type.name] as JsonSchema;
    return this.define(type.name, () => ({ ...this.#definition(type), ...describe(type) }));
  }

  /** Refers to a definition, and makes it at its first use. */
  define(name: string, make: () => JsonSchema): JsonSchema {
    if (!(name in this.definitions)) {
      // Register it before its parts are made: input types may contain themselves.
      this.definitions[name] = {};
      this.definitions[name] = make();
    }
    return { $ref: `${this.#prefix}${name}` };
  }

  #definition(type: GraphQLScalarType | GraphQLEnumType | GraphQLInputObjectType): JsonSchema {
    if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
    if (!isInputObjectType(type)) {
      const known = scalars[type.name];
      if (!known) throw new Error(`The scalar ${type.name} has no JSON Schema.`);
      return known;
    }
    const fields = Object.values(type.getFields());
    if (type.isOneOf)
      return {
        oneOf: fields.map((field) => ({
          type: 'object',
          properties: { [field.name]: this.variable(field as never) },
          required: [field.name],
          additionalProperties: false,
        })),
      };
    return this.object(
      fields.map(({ name, type: of, description, defaultValue }) => ({
        name,
        type: of,
        description: description ?? undefined,
        defaultValue,
        isRequired: isNonNullType(of),
        place: [],
      })),
    );
  }
}

/** The description of a type. That of an enum explains its values too. */
function describe(type: GraphQLNamedType): { description: string } {
  const values = isEnumType(type)
    ? type.getValues().map(({ name, description }) => `- \`${name}\`: ${description}`)
    : [];
  return { description: [type.description ?? '', ...values].join('\n') };
}

/** The same schema, for a value that may be null too. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  return typeof type === 'string'
    ? { ...schema, type: [type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
