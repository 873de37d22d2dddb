import {
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  Kind,
  type ValueNode,
} from 'graphql';
import { queryErrors } from './errors.ts';

/**
 * Gives graph-node's scalars their input parsers. Output needs
 * none: rows are decoded to the API's form already.
 */
export function attachScalars(schema: GraphQLSchema): void {
  attach(schema, 'BigInt', (value) => wholeNumber('BigInt', value));
  attach(schema, 'Int8', (value) => wholeNumber('Int8', value));
  attach(schema, 'Timestamp', (value) => wholeNumber('Timestamp', value));
  attach(schema, 'BigDecimal', decimal);
  attach(schema, 'Bytes', bytes);
}

function attach(schema: GraphQLSchema, name: string, read: (value: unknown) => string): void {
  const type = schema.getType(name);
  if (!isScalarType(type)) throw new Error(`the schema has no scalar ${name}`);
  const scalar: GraphQLScalarType = type;
  scalar.parseValue = (value) => asGraphQLError(() => read(value));
  scalar.parseLiteral = (node) => asGraphQLError(() => read(literal(node)), node);
}

function wholeNumber(type: string, value: unknown): string {
  const text = typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : '';
  if (!/^[+-]?\d{1,1000}$/.test(text)) throw queryErrors.badValue(type, 'invalid digit found in string');
  return text;
}

function decimal(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (!/^[+-]?\d{1,1000}(\.\d{1,1000})?$/.test(text)) {
    throw queryErrors.badValue('BigDecimal', 'invalid digit found in string');
  }
  return text;
}

function bytes(value: unknown): string {
  const digits = typeof value === 'string' ? value.replace(/^0x/, '') : undefined;
  if (digits === undefined || /[^0-9a-fA-F]/.test(digits)) {
    throw queryErrors.badValue('Bytes', 'Invalid character in hex string');
  }
  if (digits.length % 2 === 1) throw queryErrors.badValue('Bytes', 'Odd number of digits');
  return `0x${digits.toLowerCase()}`;
}

function literal(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.INT:
    case Kind.FLOAT:
      return node.value;
    default:
      return undefined;
  }
}

/** Rethrows as a GraphQLError: graphql-js keeps the text of these, and wraps other errors in its own text. */
function asGraphQLError<T>(read: () => T, nodes?: ValueNode): T {
  try {
    return read();
  } catch (error) {
    throw new GraphQLError((error as Error).message, { nodes });
  }
}
