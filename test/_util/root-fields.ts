import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { schema } from '../../src/graphql/schema/schema.ts';

export interface RootField {
  operation: 'query' | 'mutation' | 'subscription';
  field: GraphQLField<unknown, unknown>;
  /** The name of the type and the field. */
  name: string;
}

const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
  (type): type is GraphQLObjectType => type != null,
);

/** All root fields of the schema, so that a test of these covers a new field at once. */
export const rootFields: RootField[] = roots.flatMap((type) =>
  Object.values(type.getFields()).map((field) => ({
    operation: type.name.toLowerCase() as RootField['operation'],
    field,
    name: `${type.name}.${field.name}`,
  })),
);

/** A leaf in the arguments of a field: its path and its type. */
export interface Place {
  path: string[];
  scalar: string;
}

/** All leaves in the arguments, including those in input objects and lists. */
export function placesOf({ args }: GraphQLField<unknown, unknown>): Place[] {
  return args.flatMap(({ name, type }) => leavesOf(type, [name], []));
}

function leavesOf(type: GraphQLInputType, path: string[], above: string[]): Place[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [{ path, scalar: named.name }];
  // A recursive type adds no new place.
  if (above.includes(named.name)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    leavesOf(field.type, [...path, field.name], [...above, named.name]),
  );
}

/** Default values by the names of scalars and input objects. */
export type Samples = Readonly<Record<string, unknown>>;

/** The required arguments of a field, and a value at one more place. */
export function variablesOf(
  { args }: GraphQLField<unknown, unknown>,
  samples: Samples,
  filled?: { path: string[]; value: unknown },
): Record<string, unknown> {
  const [first, ...below] = filled?.path ?? [];
  return Object.fromEntries(
    args
      .filter((arg) => isRequiredArgument(arg) || arg.name === first)
      .map(({ name, type }) => [
        name,
        inputOf(type, samples, name === first && filled ? { path: below, value: filled.value } : undefined),
      ]),
  );
}

function inputOf(
  type: GraphQLInputType,
  samples: Samples,
  filled: { path: string[]; value: unknown } | undefined,
): unknown {
  if (isNonNullType(type)) return inputOf(type.ofType, samples, filled);
  if (isListType(type)) return [inputOf(type.ofType, samples, filled)];
  const [first, ...below] = filled?.path ?? [];
  if (filled && first === undefined) return filled.value;
  if (!filled && type.name in samples) return samples[type.name];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return 'x';
  return Object.fromEntries(
    Object.values(type.getFields())
      .filter((field) => isRequiredInputField(field) || field.name === first)
      .map((field) => [
        field.name,
        inputOf(
          field.type,
          samples,
          field.name === first && filled ? { path: below, value: filled.value } : undefined,
        ),
      ]),
  );
}

/** An operation of one root field, with these arguments as variables. */
export function documentOf(
  { operation, field }: RootField,
  variables: Record<string, unknown>,
  selection: string,
): string {
  const given = field.args.filter(({ name }) => name in variables);
  const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  return `${operation} ${declared && `(${declared})`} { ${field.name}${passed && `(${passed})`} ${selection} }`;
}
