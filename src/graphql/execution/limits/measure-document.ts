import { memoize2 } from '@graphql-tools/utils';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { defaultFirst, maxFirst } from '../../../model/page-size.ts';

/** Assumed length of a list without a length argument. Few lists here are longer. */
const elementsOfList = 10;
/** Assumed number of fields in a metadata document, which is always returned whole. */
const fieldsOfDocument = 20;
/** A condition is expensive: the subgraph compares it with many rows. */
const costOfCondition = 10;

/** Arguments that say how long a list is, or which rows are in it. */
const lengthArguments = new Set(['first', 'last', 'where']);

export type Variables = Record<string, unknown>;

/** Measures a document, which need not be valid yet. The result is kept with the document. */
export const measureDocument = memoize2(measure);
export type Measures = ReturnType<typeof measure>;

/** What the arguments of a list say: its length, and the cost of its filter. */
type List = { length: number; conditions: number };

/** The variables of one execution, and the lists already measured with them. */
interface Count {
  variables: Variables;
  /** Caps the length of lists whose arguments set their length. */
  longest: number;
  fragments: Map<string, number>;
  lists: Map<FieldNode, List>;
}

/** A number where no argument decides: most selections, which are then added up once. */
type Cost = number | ((count: Count) => number);
type SelectedType = GraphQLNamedType | null | undefined;

/** The measures of a selection. */
interface SelectionMeasures {
  depth: number;
  aliases: number;
  rootFields: number;
  cost: Cost;
}

const noMeasures: SelectionMeasures = { depth: 0, aliases: 0, rootFields: 0, cost: 0 };

const counted = (cost: Cost, count: Count) => (typeof cost === 'number' ? cost : cost(count));

function sumOf(costs: Cost[]): Cost {
  const varying = costs.filter((cost) => typeof cost !== 'number');
  const fixed = costs.reduce<number>((sum, cost) => (typeof cost === 'number' ? sum + cost : sum), 0);
  return varying.length === 0 ? fixed : (count) => varying.reduce((sum, cost) => sum + cost(count), fixed);
}

/**
 * One walk through the document. Each fragment is walked once and counted at every spread, so that fragments
 * cannot multiply a query unnoticed.
 */
function measure(schema: GraphQLSchema, document: DocumentNode) {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions)
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const walked = new Map<string, SelectionMeasures>();
  let directives = 0;
  let spreads = 0;

  /** `type` may be missing or wrong in a document that validation refuses. */
  const ofSelections = (type: SelectedType, { selections }: SelectionSetNode): SelectionMeasures => {
    const costs: Cost[] = [];
    const held = { ...noMeasures };
    const names = new Set<string>();
    for (const selection of selections) {
      directives += selection.directives?.length ?? 0;
      const inner = ofSelection(type, selection);
      held.depth = Math.max(held.depth, inner.depth);
      held.aliases += inner.aliases;
      held.rootFields += inner.rootFields;
      costs.push(inner.cost);
      if (selection.kind !== Kind.FIELD) continue;
      if (selection.alias || names.has(selection.name.value)) held.aliases++;
      names.add(selection.name.value);
    }
    return { ...held, cost: sumOf(costs) };
  };

  const ofSelection = (type: SelectedType, selection: SelectionNode): SelectionMeasures => {
    if (selection.kind === Kind.FIELD) return ofField(type, selection);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    const { typeCondition, selectionSet } = selection;
    return ofSelections(typeCondition ? schema.getType(typeCondition.name.value) : type, selectionSet);
  };

  const ofFragment = (name: string): SelectionMeasures => {
    spreads++;
    const before = walked.get(name);
    if (before) return before;
    // Ends the recursion of a circular fragment, which validation then refuses by name.
    walked.set(name, noMeasures);
    const fragment = fragments.get(name);
    if (!fragment) return noMeasures;
    const whole = ofSelections(schema.getType(fragment.typeCondition.name.value), fragment.selectionSet);
    const once = (count: Count) => {
      const cost = count.fragments.get(name) ?? counted(whole.cost, count);
      count.fragments.set(name, cost);
      return cost;
    };
    const held = { ...whole, cost: typeof whole.cost === 'number' ? whole.cost : once };
    walked.set(name, held);
    return held;
  };

  const ofField = (type: SelectedType, node: FieldNode): SelectionMeasures => {
    // The standard introspection query is deep. Validation has a rule of its own that bounds it.
    if (node.name.value.startsWith('__')) return { ...noMeasures, depth: 1, rootFields: 1, cost: 1 };
    const field = type && 'getInterfaces' in type ? type.getFields()[node.name.value] : undefined;
    const inner = node.selectionSet
      ? ofSelections(field && getNamedType(field.type), node.selectionSet)
      : noMeasures;
    const cost = field ? costOfField(field, node, inner.cost) : 1;
    return { depth: 1 + inner.depth, aliases: inner.aliases, rootFields: 1, cost };
  };

  const operations = new Map<OperationDefinitionNode, SelectionMeasures>();
  for (const one of document.definitions) {
    if ('directives' in one) directives += one.directives?.length ?? 0;
    if (one.kind !== Kind.OPERATION_DEFINITION) continue;
    operations.set(one, ofSelections(schema.getRootType(one.operation), one.selectionSet));
  }
  // Unused fragments count too: validation processes them before it refuses them.
  for (const name of fragments.keys()) if (!walked.has(name)) ofFragment(name);
  const costWith = (operation: OperationDefinitionNode, variables: Variables) => {
    const { cost } = operations.get(operation) ?? noMeasures;
    // Arguments are read once, whatever the length: a filter may have thousands of values.
    const lists: Count['lists'] = new Map();
    return (longest: number) => counted(cost, { variables, longest, fragments: new Map(), lists });
  };
  const most = (name: 'depth' | 'aliases' | 'rootFields') =>
    Math.max(0, ...[...operations.values()].map((held) => held[name]));
  return {
    /** The deepest nesting, and the most aliases and root fields, of any operation in the document. */
    depth: most('depth'),
    aliases: most('aliases'),
    rootFields: most('rootFields'),
    /** Of the whole document. */
    directives,
    fragments: spreads,
    /**
     * The number of fields that the response may have, for a valid document and coerced variables. Throws if an
     * argument is refused.
     */
    costOf: (operation: OperationDefinitionNode, variables: Variables): number =>
      costWith(operation, variables)(Number.POSITIVE_INFINITY),
    /** The greatest length of lists with which the cost is within `allowed`; 0 when one element is too much. */
    longestLists: (operation: OperationDefinitionNode, variables: Variables, allowed: number): number =>
      longestWithin(allowed, costWith(operation, variables)),
  };
}

function longestWithin(allowed: number, costOf: (length: number) => number): number {
  let [fits, over] = [0, maxFirst + 1];
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (costOf(middle) <= allowed) fits = middle;
    else over = middle;
  }
  return fits;
}

/**
 * The cost of a field: its own size, usually 1, plus the cost of its selections times the length of its list.
 * Arguments are read when the cost is counted, because those of an unvalidated document may be wrong.
 */
function costOfField(field: GraphQLField<unknown, unknown>, node: FieldNode, below: Cost): Cost {
  const type = String(field.type);
  const isList = type.startsWith('[');
  const own = /^JSON!?$/.test(type) ? fieldsOfDocument : 1;
  // The connection around `edges` and `nodes` has already counted the page's length.
  const isCounted = !isList || field.name === 'edges' || field.name === 'nodes';
  const unnamed = /Connection!?$/.test(type) ? defaultFirst : isCounted ? 1 : elementsOfList;
  // Without such an argument the caller cannot choose the length.
  if (!field.args.some(({ name }) => isList || lengthArguments.has(name)))
    return typeof below === 'number' ? own + below * unnamed : (count) => own + below(count) * unnamed;
  const isConstant = !usesVariables(node);
  let constant: List | undefined;
  const listOf = (variables: Variables): List => {
    const args = getArgumentValues(field, node, variables);
    const { first, last, where } = args;
    // A list by keys has as many elements as keys.
    const keys = isList ? Object.values(args).find(Array.isArray)?.length : undefined;
    const length =
      first == null && last == null ? (keys ?? unnamed) : Math.max(Number(first ?? 0), Number(last ?? 0), 0);
    return { length, conditions: where == null ? 0 : costOfCondition * values(where) };
  };
  return (count) => {
    const list = constant ?? count.lists.get(node) ?? listOf(count.variables);
    if (isConstant) constant = list;
    else count.lists.set(node, list);
    return own + list.conditions + counted(below, count) * Math.min(list.length, count.longest);
  };
}

/** Whether an argument of the field has a variable in it. */
export const usesVariables = (node: FieldNode): boolean =>
  node.arguments?.some(({ value }) => hasVariable(value)) ?? false;

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

/**
 * The number of values in a filter. Each level of nesting doubles it, because a nested filter is compared with every
 * row again. An empty filter counts too: it takes time before it is dropped.
 */
function values(filter: unknown): number {
  if (typeof filter !== 'object' || filter === null) return 1;
  const inner = Object.values(filter).reduce((count: number, value) => count + values(value), 0);
  return Array.isArray(filter) ? inner : 2 * Math.max(1, inner);
}
