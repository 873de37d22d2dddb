import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  separateOperations,
  stripIgnoredCharacters,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ListQuery } from './records.ts';

/** The response key of the i-th list. */
export const alias = (i: number): string => `list${i}`;

/** The text of a composed operation as JSON, and the number that identifies it in cache keys. */
interface ComposedText {
  number: number;
  json: string;
}

/** Characters of all cached texts. A text has a few thousand, one of many lists far more. */
const maxCharacters = 2_000_000;
const texts = new LRUCache<string, ComposedText>({
  maxSize: maxCharacters,
  sizeCalculation: ({ json }, name) => json.length + name.length,
});
let nextNumber = 0;

const own = (name: string, i: number): string => `${name}${i}`;
/** The only variable that all lists share. */
const shared = 'block';

/**
 * Composes an operation that reads many lists from one that reads a single list: its list field once for each
 * query, each with its own variables and columns, all at one block. `_meta` gets no alias: a subgraph that
 * withholds its data because of indexing errors still returns `_meta`, which it finds by response key. `request`
 * then asks for the data apart from it.
 * Both parts are JSON already; `variables` lacks the block.
 */
export function composeLists(
  document: DocumentNode,
  queries: readonly ListQuery<object, string>[],
): { text: ComposedText; variables: string } {
  const variables: Record<string, unknown> = {};
  for (const [i, { where = {}, first, orderBy, direction }] of queries.entries()) {
    variables[own('where', i)] = where;
    variables[own('first', i)] = first;
    variables[own('orderBy', i)] = orderBy;
    variables[own('orderDirection', i)] = direction;
  }
  const selects = queries.map(({ select }) => select);
  return { text: textOf(document, selects), variables: JSON.stringify(variables) };
}

function textOf(document: DocumentNode, selects: readonly (string | undefined)[]): ComposedText {
  const name = `${nameOf(document)} ${selects.map((one) => one ?? 'all').join('|')}`;
  const known = texts.get(name);
  if (known) return known;
  const text = { number: nextNumber++, json: JSON.stringify(compose(document, selects)) };
  texts.set(name, text);
  return text;
}

const operationOf = ({ definitions }: DocumentNode) =>
  definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode;

const nameOf = (document: DocumentNode) => operationOf(document).name?.value;

function compose(document: DocumentNode, selects: readonly (string | undefined)[]): string {
  const operation = operationOf(document);
  const composed: OperationDefinitionNode = {
    ...operation,
    variableDefinitions: (operation.variableDefinitions ?? []).flatMap((definition) =>
      definition.variable.name.value === shared
        ? [definition]
        : selects.map((_, i) => renamed<VariableDefinitionNode>(definition, i)),
    ),
    selectionSet: {
      ...operation.selectionSet,
      selections: operation.selectionSet.selections.flatMap((selection) =>
        selection.kind === Kind.FIELD && selection.name.value !== '_meta'
          ? selects.map(
              (select, i): FieldNode => ({
                ...renamed<FieldNode>(selection, i),
                alias: { kind: Kind.NAME, value: alias(i) },
                ...(select !== undefined && { selectionSet: columns(select) }),
              }),
            )
          : [selection],
      ),
    },
  };
  return stripIgnoredCharacters(print(withFragments(document, composed)));
}

function columns(select: string): SelectionSetNode {
  return withoutRepeats(operationOf(parse(`{ ${select} }`, { noLocation: true })).selectionSet);
}

/** Each column once: several fields of a caller may need the same one. */
function withoutRepeats({ kind, selections }: SelectionSetNode): SelectionSetNode {
  const fields = new Map<string, FieldNode[]>();
  for (const one of selections as readonly FieldNode[]) {
    const key = (one.alias ?? one.name).value;
    fields.set(key, [...(fields.get(key) ?? []), one]);
  }
  const merged = [...fields.values()].map((same) => {
    const below = same.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
    const [field] = same as [FieldNode];
    return below.length === 0
      ? field
      : { ...field, selectionSet: withoutRepeats({ kind: Kind.SELECTION_SET, selections: below }) };
  });
  return { kind, selections: merged };
}

/** The operation with the fragments that it spreads: GraphQL refuses unused ones. */
function withFragments({ definitions }: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
  return separateOperations(document)[operation.name?.value ?? ''] ?? document;
}

/** The node with its variables renamed for the i-th list. */
function renamed<Node extends VariableDefinitionNode | FieldNode>(node: Node, i: number): Node {
  return visit(node, {
    Variable: (variable) =>
      variable.name.value === shared
        ? undefined
        : { ...variable, name: { ...variable.name, value: own(variable.name.value, i) } },
  });
}
