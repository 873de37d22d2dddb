import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** An operation with the fragments of its document. What resolvers are told of their field has it too. */
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
  const fragments: ParsedOperation['fragments'] = {};
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one;
  return { schema, operation, fragments };
}

/** The names of an operation's root fields in the schema, each once, also of those that @skip leaves out. */
export function rootFields({ operation, fragments }: ParsedOperation): string[] {
  const names = new Set<string>();
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else {
        const fragment = spread.has(selection.name.value) ? undefined : fragments[selection.name.value];
        spread.add(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return [...names];
}
