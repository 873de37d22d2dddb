import { type JsonSchema, JsonSchemas } from '../operations/json-schema.ts';
import type { Variable } from '../operations/variables.ts';

/** The schema of a tool's arguments. */
export type InputSchema = JsonSchema & { type: 'object' };

const prefix = '#/$defs/';

/**
 * The JSON Schema of an operation's variables. Types are inlined, because not every host follows references. A file
 * is passed as its content.
 */
export function inputSchema(variables: readonly Variable[]): InputSchema {
  const schemas = new JsonSchemas(prefix);
  const words = meanings();
  const properties = variables.map((one) => [one.name, isFile(one) ? content : schemas.variable(one)]);
  return {
    type: 'object',
    properties: inlined(Object.fromEntries(properties), schemas.definitions, words),
    additionalProperties: false,
    required: variables.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

export const isFile = ({ type }: Pick<Variable, 'type'>): boolean => String(type) === 'File!';

/** The content of a file, which `runTool` converts to a file. */
const content: JsonSchema = {
  type: 'object',
  description: 'The content of the file: exactly one of text and base64.',
  properties: {
    text: { type: 'string', description: 'The content of a text file. It is stored as UTF-8.' },
    base64: { type: 'string', description: 'The content of any other file, in base64.' },
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
};

type MeaningOf = (name: string, type: JsonSchema) => unknown;

function inlined(value: unknown, definitions: Record<string, JsonSchema>, meaningOf: MeaningOf): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, definitions, meaningOf));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as JsonSchema;
  const parts = Object.entries(rest).map(([name, one]) => [name, inlined(one, definitions, meaningOf)]);
  if (typeof $ref !== 'string') return withoutChoice(Object.fromEntries(parts));
  const name = $ref.slice(prefix.length);
  const definition = definitions[name] ?? {};
  const place = String(rest.description ?? '');
  const meaning = String(meaningOf(name, definition) ?? '');
  const words = meaning.startsWith(place) ? meaning : [place, meaning].filter(Boolean).join(' ');
  const { description: _, ...type } = inlined(definition, definitions, meaningOf) as JsonSchema;
  return { ...type, ...Object.fromEntries(parts), ...(words && { description: words }) };
}

/** Merges a choice between objects of one property each into one object, because not every host supports `oneOf`. */
function withoutChoice({ oneOf, ...rest }: JsonSchema): JsonSchema {
  if (!Array.isArray(oneOf)) return rest;
  const properties = Object.assign({}, ...oneOf.map((one) => one.properties));
  return {
    type: 'object',
    properties,
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
    ...rest,
  };
}

/**
 * What a type's description adds to that of its use: the first sentence for a scalar; for an enum the whole, but only
 * once, because it is long.
 */
function meanings(): MeaningOf {
  const described = new Set<string>();
  return (name, { enum: values, properties, oneOf, description }) => {
    if (oneOf) return 'Give exactly one of these.';
    if (properties || described.has(name)) return undefined;
    if (!values) return String(description).match(/^.*?\.(?= |$)/s)?.[0];
    described.add(name);
    return description;
  };
}
