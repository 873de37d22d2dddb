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
import { placeInArguments, placeOfVariable } from '../place-in-arguments.ts';

/**
 * Says of each error in a variable or literal where in the arguments the value stands, as `inputPath`. The
 * engine says it of variables in its prose alone, counted from the variable, and of literals by line and column.
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

/** Results of the straight way have no errors, and streams have them one by one. */
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
    // Both walks of one value meet its faults in the same order.
    const within = left.shift() ?? [];
    return withPath(error, [...placeOfVariable(args.document, operation, name), ...within]);
  });
  return { ...(result as ExecutionResult), errors: faulty };
}

const variableOf = ({ nodes }: GraphQLError): VariableDefinitionNode | undefined =>
  nodes?.[0]?.kind === 'VariableDefinition' ? nodes[0] : undefined;

/** As many faults of one variable as the engine tells of all of them, which is the end of its list. */
const maxFaults = 50;

/** Where in the value of a variable its faults are. */
function pathsWithin(
  definition: VariableDefinitionNode,
  { schema, variableValues }: ExecutionArgs,
): string[][] {
  const type = typeFromAST(schema, definition.type as never);
  const value = variableValues?.[definition.variable.name.value];
  // One that is missing, or null and must not be, is itself at fault.
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

/** A field that is missing or does not exist is named by the engine in its words, and the place is its object's. */
function fieldNamedIn(message: string): string[] {
  const [, missing, unknown] =
    /^Field "(\w+)" of required type|^Field "(.*)" is not defined by type "\w+"/s.exec(message) ?? [];
  const name = missing ?? unknown;
  return name === undefined ? [] : [name];
}

/** Whether an error is about a value that stands in the document. */
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
