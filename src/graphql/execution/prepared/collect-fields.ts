import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** An operation of a document. What resolvers are told of their field has it too. */
export interface PlannedOperation {
  schema: GraphQLSchema;
  operation: OperationDefinitionNode;
  fragments: Record<string, FragmentDefinitionNode>;
}

/** An operation with the fragments of its document. */
export function operationOf(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
): PlannedOperation {
  const fragments: PlannedOperation['fragments'] = {};
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one;
  return { schema, operation, fragments };
}

/** The names of the operation's root fields in the schema, each once. */
export function rootFields(planned: PlannedOperation): string[] {
  const type = planned.schema.getRootType(planned.operation.operation);
  const fields = type ? [...collectFields(planned, type, [planned.operation]).values()] : [];
  return [...new Set(fields.flat().map(({ name }) => name.value))];
}

/** The values of the variables that @skip and @include use. Absent: fields that they leave out count. */
export type Conditions = Readonly<Record<string, unknown>>;

/**
 * The fields that are selected on an object of this type, by response key and in the order of the response:
 * CollectFields of the GraphQL specification.
 */
export function collectFields(
  { schema, fragments }: Pick<PlannedOperation, 'schema' | 'fragments'>,
  type: GraphQLObjectType,
  parents: readonly (FieldNode | OperationDefinitionNode)[],
  conditions?: Conditions,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();

  const applies = (condition: string | undefined): boolean => {
    if (condition === undefined || condition === type.name) return true;
    const conditional = schema.getType(condition);
    return isAbstractType(conditional) && schema.isSubType(conditional, type);
  };

  const collect = (selectionSet: SelectionSetNode | undefined): void => {
    for (const selection of selectionSet?.selections ?? []) {
      if (conditions && !isIncluded(selection, conditions)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const known = fields.get(key);
        if (known) known.push(selection);
        else fields.set(key, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(selection.typeCondition?.name.value)) collect(selection.selectionSet);
      } else {
        const { value: name } = selection.name;
        const fragment = fragments[name];
        if (spread.has(name) || !fragment) continue;
        spread.add(name);
        if (applies(fragment.typeCondition.name.value)) collect(fragment.selectionSet);
      }
    }
  };

  for (const { selectionSet } of parents) collect(selectionSet);
  return fields;
}

function isIncluded({ directives }: SelectionNode, conditions: Conditions): boolean {
  return (directives ?? []).every((directive) => {
    if (directive.name.value === 'skip') return !isTrue(directive, conditions);
    return directive.name.value !== 'include' || isTrue(directive, conditions);
  });
}

function isTrue(directive: DirectiveNode, conditions: Conditions): boolean {
  const value = directive.arguments?.find(({ name }) => name.value === 'if')?.value;
  if (value?.kind === Kind.VARIABLE) return conditions[value.name.value] === true;
  return value?.kind === Kind.BOOLEAN && value.value;
}
