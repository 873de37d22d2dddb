import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';

/** Page size when the query names none. */
export const defaultFirst = 20;
/** Assumed length of a list when no argument says it. Few lists here are longer. */
const elementsOfList = 10;
/** Assumed number of fields in a metadata document, which is always returned whole. */
const fieldsOfDocument = 20;
/** The subgraph has to compare a condition with many rows. */
const costOfCondition = 10;

type Arguments = Record<string, unknown>;

/**
 * The cost of one field: 1, or the size of what it holds, times the length of its list. Declared for all
 * fields at the builder.
 */
export function fieldCost(args: Arguments, _context: object, { name, type }: { name: string; type: object }) {
  const field =
    (/^JSON!?$/.test(String(type)) ? fieldsOfDocument : 1) +
    (args.where == null ? 0 : costOfCondition * values(args.where));
  if (args.first != null || args.last != null)
    return { field, multiplier: Math.max(size(args.first), size(args.last)) };
  if (/Connection!?$/.test(String(type))) return { field, multiplier: defaultFirst };
  if (!String(type).startsWith('[')) return { field, multiplier: 1 };
  const askedOneByOne = Object.values(args).find(Array.isArray);
  if (askedOneByOne) return { field, multiplier: askedOneByOne.length };
  // The connection has already counted the length of its page.
  return { field, multiplier: name === 'edges' || name === 'nodes' ? 1 : elementsOfList };
}

const size = (value: unknown): number => (typeof value === 'number' ? value : 0);

/**
 * The number of values in a filter. Each level of nesting doubles it, because a nested filter is compared
 * with every row again.
 */
function values(filter: unknown): number {
  if (typeof filter !== 'object' || filter === null) return 1;
  const inner = Object.values(filter).reduce((count: number, value) => count + values(value), 0);
  return Array.isArray(filter) ? inner : 2 * inner;
}

/**
 * The number of fields that the response may have. Undefined when the variables are invalid: execution
 * refuses them with a better message.
 * @throws the error by which an argument is refused.
 */
export function operationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Record<string, unknown>,
): number | undefined {
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  try {
    const executed = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] } as const;
    return complexityFromQuery(executed, { schema, variables }).complexity;
  } catch (error) {
    if (!areUsable(variables, operation, schema)) return undefined;
    throw error;
  }
}

function areUsable(
  variables: Record<string, unknown>,
  { variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
): boolean {
  return getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 }).errors === undefined;
}
