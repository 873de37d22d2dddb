import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** An operation with the fragments of its document. A GraphQLResolveInfo is one too. */
export interface ParsedOperation {
  schema: GraphQLSchema;
  operation: OperationDefinitionNode;
  fragments: Record<string, FragmentDefinitionNode>;
}

export function operationOf(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
): ParsedOperation {
  // Without a prototype: a document may spread a fragment that is named like a property of every object.
  const fragments: ParsedOperation['fragments'] = Object.create(null);
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one;
  return { schema, operation, fragments };
}

/** The selections at the root of an operation, also those in its fragments; each fragment once. */
export function* rootSelections({ operation, fragments }: ParsedOperation): Generator<SelectionNode> {
  const spread = new Set<string>();
  function* within({ selections }: SelectionSetNode): Generator<SelectionNode> {
    for (const selection of selections) {
      yield selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) yield* within(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || spread.has(selection.name.value)) continue;
      spread.add(selection.name.value);
      const fragment = fragments[selection.name.value];
      if (fragment) yield* within(fragment.selectionSet);
    }
  }
  yield* within(operation.selectionSet);
}

/** The names of an operation's root fields in the schema, each once, also of those that @skip leaves out. */
export function rootFields(parsed: ParsedOperation): string[] {
  const names = new Set<string>();
  for (const one of rootSelections(parsed)) if (one.kind === Kind.FIELD) names.add(one.name.value);
  return [...names];
}
