import {
  type ASTNode,
  BREAK,
  coerceInputValue,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  getOperationAST,
  isInputType,
  Kind,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';

/**
 * Adds `inputPath` to each error about a variable or literal: where in the arguments the value is. graphql-js
 * gives the place of a variable's fault only in its message and relative to the variable, and that of a
 * literal as line and column.
 */
export function inputPaths(): Plugin {
  return {
    onValidate: ({ params: { documentAST } }) => {
      return ({ result }) => {
        for (const error of result as readonly GraphQLError[]) addLiteralPath(error, documentAST.definitions);
      };
    },
    onExecute: ({ args }) => ({ onExecuteDone: ({ result }) => addVariablePaths(result, args) }),
    onSubscribe: ({ args }) => ({ onSubscribeResult: ({ result }) => addVariablePaths(result, args) }),
  };
}

const valueKinds = new Set<string>([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
  Kind.OBJECT_FIELD,
]);

function addLiteralPath(
  { nodes: [value] = [], message, extensions }: GraphQLError,
  parts: readonly ASTNode[],
) {
  if (!value || !valueKinds.has(value.kind)) return;
  const place = placeInArguments(parts, (node) => node === value);
  const [, missing] = /^Field "\w+\.(\w+)" of required type/.exec(message) ?? [];
  if (place) extensions.inputPath = missing === undefined ? place : [...place, missing];
}

/** Streams have no errors of their own. */
function addVariablePaths(result: unknown, args: ExecutionArgs): void {
  const { errors = [] } = (result ?? {}) as ExecutionResult;
  const left = new Map<VariableDefinitionNode, string[][]>();
  for (const { nodes: [node] = [], extensions } of errors) {
    if (node?.kind !== Kind.VARIABLE_DEFINITION) continue;
    const paths = left.get(node) ?? pathsWithin(node, args);
    left.set(node, paths);
    // graphql-js and `pathsWithin` walk the value in the same order, so the faults correspond.
    extensions.inputPath = [...placeOfVariable(node.variable.name.value, args), ...(paths.shift() ?? [])];
  }
}

/** graphql-js stops after this many errors too. */
const maxFaults = 50;
const enough = new Error('enough faults');

/** The places of the faults within the value of a variable. */
function pathsWithin({ type: node, variable }: VariableDefinitionNode, args: ExecutionArgs): string[][] {
  const type = typeFromAST(args.schema, node as never);
  const value = args.variableValues?.[variable.name.value];
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

/**
 * For a missing or unknown field graphql-js gives the place of the object, and the field only in its message.
 */
function fieldNamedIn(message: string): string[] {
  const [, missing, unknown] =
    /^Field "(\w+)" of required type|^Field "(.*)" is not defined by type "\w+"/s.exec(message) ?? [];
  const name = missing ?? unknown;
  return name === undefined ? [] : [name];
}

/** The path of the argument that first uses a variable; the variable's own name when none does. */
function placeOfVariable(name: string, { document, operationName }: ExecutionArgs): string[] {
  const operation = getOperationAST(document, operationName);
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const isUse = (node: ASTNode) => node.kind === Kind.VARIABLE && node.name.value === name;
  return placeInArguments(operation ? [operation, ...fragments] : [], isUse) ?? [name];
}

/**
 * The path of a value in the arguments of operations or fragments: the argument's name, then fields and list
 * indexes. The first match; undefined when there is none.
 */
function placeInArguments(
  parts: readonly ASTNode[],
  isMeant: (node: ASTNode) => boolean,
): string[] | undefined {
  let place: string[] | undefined;
  for (const part of parts)
    visit(part, {
      enter(node, _key, parent, path, ancestors) {
        if (place) return BREAK;
        // Values in here belong to no argument of a field.
        if (node.kind === Kind.VARIABLE_DEFINITION || node.kind === Kind.DIRECTIVE) return false;
        if (!isMeant(node)) return undefined;
        place = namesOf([...ancestors, parent, node], path);
        return BREAK;
      },
    });
  return place;
}

/** `path[i]` leads from `nodes[i]` to the next one; arrays of nodes count as nodes. */
function namesOf(
  nodes: readonly (ASTNode | readonly ASTNode[] | undefined)[],
  path: readonly (string | number)[],
) {
  return nodes.flatMap((node, i): string[] => {
    if (node && 'kind' in node)
      return node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD ? [node.name.value] : [];
    return path[i - 1] === 'values' ? [String(path[i])] : [];
  });
}
