import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { ListQuery } from './records.ts';

/** The response key of the i-th list. */
export const alias = (i: number): string => `list${i}`;

/** Composed operations, by source document and number of lists. */
const texts = new Map<DocumentNode, Map<number, string>>();

/**
 * Composes an operation that reads many lists from one that reads a single list: its list field once for each
 * query, each with its own variables, all at one block. `_meta` gets no alias: a subgraph that withholds its
 * data because of indexing errors still returns `_meta`, which it finds by response key.
 */
export function manyLists(document: DocumentNode, queries: readonly ListQuery<object, string>[]) {
  const known = texts.get(document) ?? new Map<number, string>();
  texts.set(document, known);
  const text = known.get(queries.length) ?? writeOut(document, queries.length);
  known.set(queries.length, text);
  const variables = Object.fromEntries(
    queries.flatMap(({ where, first, orderBy, direction }, i) =>
      Object.entries({ where, first, orderBy, orderDirection: direction }).map(([name, value]) => [
        own(name, i),
        value,
      ]),
    ),
  );
  return { text, variables };
}

const own = (name: string, i: number): string => `${name}${i}`;
/** The only variable that all lists share. */
const shared = 'block';

function writeOut(document: DocumentNode, count: number): string {
  return print(
    visit(document, {
      OperationDefinition: (operation): OperationDefinitionNode => {
        const numbers = Array.from({ length: count }, (_, i) => i);
        return {
          ...operation,
          variableDefinitions: (operation.variableDefinitions ?? []).flatMap((definition) =>
            definition.variable.name.value === shared
              ? [definition]
              : numbers.map((i) => renamed<VariableDefinitionNode>(definition, i)),
          ),
          selectionSet: {
            ...operation.selectionSet,
            selections: operation.selectionSet.selections.flatMap((selection) =>
              selection.kind === Kind.FIELD && selection.name.value !== '_meta'
                ? numbers.map(
                    (i): FieldNode => ({
                      ...renamed<FieldNode>(selection, i),
                      alias: { kind: Kind.NAME as const, value: alias(i) },
                    }),
                  )
                : [selection],
            ),
          },
        };
      },
    }),
  );
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
