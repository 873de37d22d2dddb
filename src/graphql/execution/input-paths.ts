import {
  type ASTNode,
  type ExecutionArgs,
  GraphQLError,
  getOperationAST,
  isInputType,
  Kind,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type InputFault, inputFaults } from '../../lib/input-faults.ts';

/**
 * Adds `inputPath` to each error about a literal: the path of the value in the arguments. graphql-js locates a
 * literal by line and column, and a fault in a variable only within its message, relative to the variable.
 */
export const literalPaths = (): Plugin => ({
  onValidate:
    ({ params: { documentAST } }) =>
    ({ result }) => {
      for (const error of result as readonly GraphQLError[]) addLiteralPath(error, documentAST.definitions);
    },
});

function addLiteralPath(
  { nodes: [node] = [], message, extensions }: GraphQLError,
  parts: readonly ASTNode[],
) {
  const path = pathInArguments(parts, (one) => one === node);
  const [, missing] = /^Field "\w+\.(\w+)" of required type/.exec(message) ?? [];
  // The path of a field or a fragment is empty.
  if (path?.length) extensions.inputPath = missing === undefined ? path : [...path, missing];
}

/** The same for variables, whose values graphql-js checks when it executes. */
export function addVariablePaths(errors: readonly GraphQLError[], args: ExecutionArgs): void {
  const left = new Map<VariableDefinitionNode, string[][]>();
  for (const { nodes: [node] = [], extensions } of errors) {
    if (node?.kind !== Kind.VARIABLE_DEFINITION) continue;
    const paths = left.get(node) ?? faultsWithin(node, args).map(({ path }) => path);
    left.set(node, paths);
    // graphql-js and `faultsWithin` walk the value in the same order, so the faults correspond.
    extensions.inputPath = [...pathOfVariable(node.variable.name.value, args), ...(paths.shift() ?? [])];
  }
}

/** Characters of a value that an error may quote. */
const longestQuoted = 1_000;

/**
 * The errors for variables whose wrong value is too long to quote; none when graphql-js can report them. It quotes
 * the value in each of up to fifty errors, which took gigabytes and a minute for an object of 8 MB.
 */
export function errorsOfLongVariables(
  definitions: readonly VariableDefinitionNode[],
  args: ExecutionArgs,
): GraphQLError[] {
  const found = definitions.flatMap((node) => faultsWithin(node, args).map((fault) => ({ node, fault })));
  // Measure each value once: many faults may be about the same object.
  const values = new Set(found.map(({ fault }) => fault.value));
  if (![...values].some((value) => JSON.stringify(value).length > longestQuoted)) return [];
  return found.map(({ node, fault: { path, message } }) => {
    const name = node.variable.name.value;
    const inputPath = [...pathOfVariable(name, args), ...path];
    return new GraphQLError(`Variable "$${name}" got an invalid value; ${message}`, {
      nodes: [node],
      extensions: { code: 'INVALID_INPUT', inputPath },
    });
  });
}

/** The faults within the value of a variable. */
function faultsWithin({ type: node, variable }: VariableDefinitionNode, args: ExecutionArgs): InputFault[] {
  const type = typeFromAST(args.schema, node as never);
  const value = args.variableValues?.[variable.name.value];
  // Missing, or null for a non-null type: the fault is at the variable itself.
  if (value == null || !isInputType(type)) return [];
  // No suggestions: they would reveal names of the schema, even with introspection off.
  return inputFaults(value, type, true);
}

/** The path of the argument that first uses a variable; the variable's own name when none does. */
function pathOfVariable(name: string, { document, operationName }: ExecutionArgs): string[] {
  const operation = getOperationAST(document, operationName);
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const isUse = (node: ASTNode) => node.kind === Kind.VARIABLE && node.name.value === name;
  return pathInArguments(operation ? [operation, ...fragments] : [], isUse) ?? [name];
}

/**
 * The path of a value in the arguments of operations or fragments: the argument's name, then fields and list
 * indexes. The first match; undefined when there is none.
 */
function pathInArguments(
  nodes: readonly ASTNode[],
  isMeant: (node: ASTNode) => boolean,
): string[] | undefined {
  const search = (parts: readonly Part[], path: string[]): string[] | undefined => {
    for (const [part, name] of parts) {
      const here = name === undefined ? path : [...path, name];
      const found = isMeant(part) ? here : search(partsOf(part), here);
      if (found) return found;
    }
    return undefined;
  };
  return search(
    nodes.map((node) => [node]),
    [],
  );
}

type Part = [node: ASTNode, name?: string];

/**
 * The parts of a node that an input path may lead through. Values in directives and defaults are in no argument of a
 * field.
 */
function partsOf(node: ASTNode): Part[] {
  if (node.kind === Kind.LIST) return node.values.map((value, i) => [value, String(i)]);
  if (node.kind === Kind.OBJECT) return node.fields.map((field) => [field, field.name.value]);
  if (node.kind === Kind.OBJECT_FIELD) return [[node.value]];
  const args = (node.kind === Kind.FIELD && node.arguments) || [];
  const { selections = [] } = ('selectionSet' in node && node.selectionSet) || {};
  return [
    ...args.map(({ name, value }): Part => [value, name.value]),
    ...selections.map((one): Part => [one]),
  ];
}
