import {
  coerceInputValue,
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
import type { Operation } from './operations.ts';

/** A variable of an operation, with what the schema says of its value. */
export interface Variable {
  name: string;
  type: GraphQLInputType;
  isRequired: boolean;
  description: string | undefined;
  defaultValue: unknown;
  /** Where the value goes in the arguments of its field. Errors name that place. */
  place: readonly string[];
}

/** The variables of an operation, described by the arguments and input fields that take them. */
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
        const taker = isField ? parent.getFields()[place.at(-1) ?? ''] : types.getArgument();
        if (taker) uses.set(name.value, { taker, place });
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
      description: description?.value ?? use?.taker.description ?? undefined,
      defaultValue: use?.taker.defaultValue,
      place: use?.place ?? [name],
    };
  });
}

interface Use {
  taker: GraphQLArgument | GraphQLInputField;
  place: string[];
}

/** A value that a variable cannot have. */
export interface VariableFault {
  /** The variable's name, then fields and list indexes. */
  path: readonly string[];
  message: string;
}

/** More are no help to anybody, and all faults of a long list would fill the memory. */
const maxFaults = 50;
const enough = new Error('enough faults');

/**
 * Why an operation with these values is refused before it is executed. graphql-js says the same, with the whole
 * value in each message.
 */
export function variableFaults(
  variables: readonly Variable[],
  values: Record<string, unknown>,
): VariableFault[] {
  const faults: VariableFault[] = [];
  const add = (fault: VariableFault) => {
    faults.push(fault);
    if (faults.length === maxFaults) throw enough;
  };
  try {
    for (const { name, type, isRequired } of variables) {
      const value = values[name];
      if (value === undefined || value === null) {
        if (isRequired) add({ path: [name], message: `${name} is required.` });
        continue;
      }
      coerceInputValue(value, type, (path, _value, { message }) => {
        const field = fieldNamedIn(message);
        const at = [name, ...path.map(String), ...(field === undefined ? [] : [field])];
        add({ path: at, message: `${message}${choicesOf(type)}` });
      });
    }
  } catch (error) {
    if (error !== enough) throw error;
  }
  return faults;
}

/** graphql-js suggests a value only when one is near. */
const choicesOf = (type: GraphQLInputType): string => {
  const named = getNamedType(type);
  return isEnumType(named)
    ? ` Use one of ${named
        .getValues()
        .map(({ name }) => name)
        .join(', ')}.`
    : '';
};

/** For a missing or unknown field graphql-js gives the path of the object, and the field only in its message. */
function fieldNamedIn(message: string): string | undefined {
  const [, missing, unknown] =
    /^Field "(\w+)" of required type|^Field "(.*)" is not defined by type "\w+"/s.exec(message) ?? [];
  return missing ?? unknown;
}

/** Translates a place in the arguments into the variable that has it, and the path within its value. */
export function pathInVariables(
  variables: readonly Variable[],
  inputPath: readonly string[],
): string[] | undefined {
  const variable = variables.find(({ place }) => place.every((name, i) => inputPath[i] === name));
  return variable && [variable.name, ...inputPath.slice(variable.place.length)];
}
