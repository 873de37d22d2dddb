import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
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
type Variables = Record<string, unknown>;

/** The values of one operation's variables, and the cost of fragments that was counted with them already. */
interface Count {
  variables: Variables;
  fragments: Map<object, number>;
}
/** A number when it is the same for all variables. */
type Cost = number | ((count: Count) => number);

/**
 * The number of fields that the response may have, as a function of the operation's variables, which must be
 * coerced already. Worked out once for a document: only fields with variables are counted each time.
 * The function throws the error by which an argument is refused.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => number {
  const type = schema.getRootType(operation.operation);
  const cost = type ? new CostOfDocument(schema, document).ofSelection(type, operation.selectionSet) : 0;
  return (variables) => (typeof cost === 'number' ? cost : cost({ variables, fragments: new Map() }));
}

class CostOfDocument {
  readonly #schema: GraphQLSchema;
  readonly #fragments = new Map<string, { condition: string; selection: SelectionSetNode }>();
  /** A fragment is worked out once, however often it is spread. */
  readonly #known = new Map<string, Cost>();

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode) {
    this.#schema = schema;
    for (const one of definitions)
      if (one.kind === Kind.FRAGMENT_DEFINITION) {
        const { name, typeCondition, selectionSet } = one;
        this.#fragments.set(name.value, { condition: typeCondition.name.value, selection: selectionSet });
      }
  }

  ofSelection(type: GraphQLOutputType, { selections }: SelectionSetNode): Cost {
    return sum(
      selections.map((selection): Cost => {
        if (selection.kind === Kind.FIELD) return this.#ofField(type as GraphQLObjectType, selection);
        if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#ofFragment(selection.name.value);
        const condition = selection.typeCondition?.name.value;
        return this.ofSelection(this.#typeNamed(condition) ?? type, selection.selectionSet);
      }),
    );
  }

  #ofFragment(name: string): Cost {
    const known = this.#known.get(name);
    const fragment = this.#fragments.get(name);
    const type = this.#typeNamed(fragment?.condition);
    if (known !== undefined || !fragment || !type) return known ?? 0;
    const cost = this.ofSelection(type, fragment.selection);
    const counted: Cost =
      typeof cost === 'number'
        ? cost
        : (count) => {
            const before = count.fragments.get(fragment) ?? cost(count);
            count.fragments.set(fragment, before);
            return before;
          };
    this.#known.set(name, counted);
    return counted;
  }

  #typeNamed(name: string | undefined): GraphQLOutputType | undefined {
    const type = name === undefined ? undefined : this.#schema.getType(name);
    return isCompositeType(type) ? type : undefined;
  }

  #ofField(type: GraphQLObjectType, node: FieldNode): Cost {
    // Of introspection, and of __typename: validation bounds the one, and the other is part of the object.
    const field = 'getFields' in type ? type.getFields()[node.name.value] : undefined;
    if (!field) return 1;
    const below = node.selectionSet ? this.ofSelection(getNamedType(field.type), node.selectionSet) : 0;
    const own = (variables: Variables) => fieldCost(getArgumentValues(field, node, variables), field);
    const usesVariables = node.arguments?.some(({ value }) => hasVariable(value)) ?? false;
    if (typeof below === 'number' && !usesVariables) return total(own({}), below);
    if (!usesVariables) {
      const fixed = own({});
      return (count) => total(fixed, amountOf(below, count));
    }
    return (count) => total(own(count.variables), amountOf(below, count));
  }
}

const amountOf = (cost: Cost, count: Count) => (typeof cost === 'number' ? cost : cost(count));

const total = ({ field, multiplier }: ReturnType<typeof fieldCost>, below: number) =>
  field + below * Math.max(multiplier, 0);

function sum(costs: Cost[]): Cost {
  let fixed = 0;
  const varying: ((count: Count) => number)[] = [];
  for (const cost of costs)
    if (typeof cost === 'number') fixed += cost;
    else varying.push(cost);
  if (varying.length === 0) return fixed;
  return (count) => varying.reduce((whole, cost) => whole + cost(count), fixed);
}

const hasVariable = (value: object): boolean =>
  'kind' in value && value.kind === Kind.VARIABLE
    ? true
    : Object.values(value).some((inner) =>
        Array.isArray(inner) ? inner.some(hasVariable) : isNode(inner) && hasVariable(inner),
      );

const isNode = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';

/** The cost of one field: 1, or the size of what it holds, times the length of its list. */
function fieldCost(args: Arguments, { name, type }: { name: string; type: object }) {
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
