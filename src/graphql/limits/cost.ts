import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { defaultFirst } from '../page.ts';

/** What a list is taken to hold when nothing says how many; few of those here hold more. */
const elementsOfList = 10;
/** What a record's document holds, which comes whole. */
const fieldsOfDocument = 20;
/** A condition has to be held against many rows by the index. */
const costOfCondition = 10;

type Arguments = Record<string, unknown>;

/** The cost of one field, declared for all of them at the builder: 1, or what it holds, as often as its list is long. */
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
  // Of a page, whose length its connection has counted already.
  return { field, multiplier: name === 'edges' || name === 'nodes' ? 1 : elementsOfList };
}

const size = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** How many values a filter holds. One within another doubles the work: it is held against every row again. */
function values(filter: unknown): number {
  if (typeof filter !== 'object' || filter === null) return 1;
  const inner = Object.values(filter).reduce((count: number, value) => count + values(value), 0);
  return Array.isArray(filter) ? inner : 2 * inner;
}

/**
 * How many fields the answer to an operation may have; undefined when its variables cannot be used, which
 * execution refuses and says more of. @throws what an argument is refused with.
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
