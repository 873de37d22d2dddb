import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';

/**
 * The errors of subscriptions whose field depends on a condition. Without its field a subscription has no events, and
 * graphql-js fails at it. The rule of graphql-js looks only at the number of fields, and takes each variable as
 * missing.
 */
export function conditionalSubscriptions({ definitions }: DocumentNode): GraphQLError[] {
  const errors: GraphQLError[] = [];
  const spread = new Set<string>();
  const look = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      for (const { name, ...node } of selection.directives ?? [])
        if (name.value === 'skip' || name.value === 'include')
          errors.push(
            new GraphQLError(
              `The field of a subscription cannot depend on a condition. Remove @${name.value}.`,
              { nodes: [{ name, ...node }], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
            ),
          );
      if (selection.kind === Kind.INLINE_FRAGMENT) look(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || spread.has(selection.name.value)) continue;
      spread.add(selection.name.value);
      for (const one of definitions)
        if (one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value)
          look(one.selectionSet);
    }
  };
  for (const one of definitions)
    if (one.kind === Kind.OPERATION_DEFINITION && one.operation === 'subscription') look(one.selectionSet);
  return errors;
}
