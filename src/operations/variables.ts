import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  Kind,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type InputFault, inputFaults } from '../lib/input-faults.ts';
import type { Operation } from './operations.ts';

/** A variable of an operation, with the schema's description of its value. */
export interface Variable {
  name: string;
  type: GraphQLInputType;
  isRequired: boolean;
  description: string | undefined;
  defaultValue: unknown;
  /** The path of the value in the arguments of its field. Errors name this path. */
  place: readonly string[];
}

/** The variables of an operation, described by the arguments and input fields that use them. */
export function variablesOf(schema: GraphQLSchema, { definition, document }: Operation): Variable[] {
  const uses = new Map<string, Use>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Variable: ({ name }, _key, holder, _path, ancestors) => {
        const holders = [...ancestors, holder].flatMap((one) =>
          one && 'kind' in one && (one.kind === Kind.ARGUMENT || one.kind === Kind.OBJECT_FIELD) ? [one] : [],
        );
        const place = holders.map((one) => one.name.value);
        const parent = getNullableType(types.getParentInputType());
        const isField = holders.at(-1)?.kind === Kind.OBJECT_FIELD && isInputObjectType(parent);
        const target = isField ? parent.getFields()[place.at(-1) ?? ''] : types.getArgument();
        if (target) uses.set(name.value, { target, place });
      },
    }),
  );
  return (definition.variableDefinitions ?? []).map(({ variable, type: node, description }) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, node as never) as GraphQLInputType;
    const use = uses.get(name);
    return {
      name,
      type,
      isRequired: isNonNullType(type),
      description: description?.value ?? use?.target.description ?? undefined,
      defaultValue: use?.target.defaultValue,
      place: use?.place ?? [name],
    };
  });
}

interface Use {
  target: GraphQLArgument | GraphQLInputField;
  place: string[];
}

/**
 * The faults for which an operation with these values is refused before execution. Each path begins with the variable's
 * name. graphql-js finds the same faults, but quotes the whole value in each message.
 */
export function variableFaults(
  variables: readonly Variable[],
  values: Record<string, unknown>,
): Omit<InputFault, 'value'>[] {
  return variables.flatMap(({ name, type, isRequired }) => {
    const value = values[name];
    if (value === undefined || value === null)
      return isRequired ? [{ path: [name], message: `${name} is required.` }] : [];
    return inputFaults(value, type).map(({ path, message }) => ({
      path: [name, ...path],
      message: `${message}${choicesOf(type)}`,
    }));
  });
}

/** Names all values of an enum: graphql-js suggests only similar ones. */
const choicesOf = (type: GraphQLInputType): string => {
  const named = getNamedType(type);
  return isEnumType(named)
    ? ` Use one of ${named
        .getValues()
        .map(({ name }) => name)
        .join(', ')}.`
    : '';
};

/** Translates a path in the arguments into the name of its variable, followed by the path within its value. */
export function pathInVariables(
  variables: readonly Variable[],
  inputPath: readonly string[],
): string[] | undefined {
  const variable = variables.find(({ place }) => place.every((name, i) => inputPath[i] === name));
  return variable && [variable.name, ...inputPath.slice(variable.place.length)];
}
