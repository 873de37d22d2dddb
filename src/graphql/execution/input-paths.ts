import {
  coerceInputValue,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  isInputType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { placeInArguments, placeOfVariable } from './place-in-arguments.ts';

/**
 * Adds `inputPath` to each error about a variable or literal: where in the arguments the value is. graphql-js
 * gives the place of a variable's fault only in its message and relative to the variable, and that of a
 * literal as line and column.
 */
export function inputPaths(): Plugin {
  return {
    onValidate: ({ params: { documentAST } }) => {
      return ({ result, setResult }) => {
        const errors = result as readonly GraphQLError[];
        if (!errors.some(isAboutValue)) return;
        setResult(errors.map((error) => withLiteralPath(error, documentAST)));
      };
    },
    onExecute: ({ args }) => ({
      onExecuteDone: ({ result, setResult }) => {
        const paths = withVariablePaths(result, args);
        if (paths) setResult(paths);
      },
    }),
    onSubscribe: ({ args }) => ({
      onSubscribeResult: ({ result, setResult }) => {
        const paths = withVariablePaths(result, args);
        if (paths) setResult(paths);
      },
    }),
  };
}

/**
 * The result with paths added; undefined when no error is about a variable. Streams have no errors of their
 * own.
 */
function withVariablePaths(result: unknown, args: ExecutionArgs): ExecutionResult | undefined {
  const { errors } = (result ?? {}) as ExecutionResult;
  if (!errors?.some((error) => variableOf(error))) return undefined;
  const operation = getOperationAST(args.document, args.operationName);
  if (!operation) return undefined;
  const paths = new Map<string, string[][]>();
  const faulty = errors.map((error) => {
    const definition = variableOf(error);
    if (!definition) return error;
    const { value: name } = definition.variable.name;
    const left = paths.get(name) ?? pathsWithin(definition, args);
    paths.set(name, left);
    // graphql-js and `pathsWithin` walk the value in the same order, so the faults correspond.
    const within = left.shift() ?? [];
    return withPath(error, [...placeOfVariable(args.document, operation, name), ...within]);
  });
  return { ...(result as ExecutionResult), errors: faulty };
}

const variableOf = ({ nodes }: GraphQLError): VariableDefinitionNode | undefined =>
  nodes?.[0]?.kind === 'VariableDefinition' ? nodes[0] : undefined;

/** graphql-js stops after this many errors too. */
const maxFaults = 50;

/** The places of the faults within the value of a variable. */
function pathsWithin(
  definition: VariableDefinitionNode,
  { schema, variableValues }: ExecutionArgs,
): string[][] {
  const type = typeFromAST(schema, definition.type as never);
  const value = variableValues?.[definition.variable.name.value];
  // A missing value, or null where none is allowed: the variable itself is at fault.
  if (value == null || !isInputType(type)) return [];
  const paths: string[][] = [];
  try {
    coerceInputValue(value, type, (path, _value, { message }) => {
      paths.push([...path.map(String), ...fieldNamedIn(message)]);
      if (paths.length === maxFaults) throw enough;
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return paths;
}

const enough = new Error('enough faults');

/**
 * For a missing or unknown field graphql-js gives the place of the object, and the field only in its message.
 */
function fieldNamedIn(message: string): string[] {
  const [, missing, unknown] =
    /^Field "(\w+)" of required type|^Field "(.*)" is not defined by type "\w+"/s.exec(message) ?? [];
  const name = missing ?? unknown;
  return name === undefined ? [] : [name];
}

/** Whether an error is about a literal in the document. */
const isAboutValue = ({ nodes }: GraphQLError) => nodes?.[0] !== undefined && valueKinds.has(nodes[0].kind);

const valueKinds = new Set<string>([
  'IntValue',
  'FloatValue',
  'StringValue',
  'BooleanValue',
  'NullValue',
  'EnumValue',
  'ListValue',
  'ObjectValue',
  'ObjectField',
]);

function withLiteralPath(error: GraphQLError, document: DocumentNode): GraphQLError {
  if (!isAboutValue(error)) return error;
  const place = placeInArguments(document.definitions, (node) => node === error.nodes?.[0]);
  if (!place) return error;
  const [, missing] = /^Field "\w+\.(\w+)" of required type/.exec(error.message) ?? [];
  return withPath(error, missing === undefined ? place : [...place, missing]);
}

function withPath(error: GraphQLError, inputPath: string[]): GraphQLError {
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    originalError,
    extensions: { ...extensions, inputPath },
  });
}
