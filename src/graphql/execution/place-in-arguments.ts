import {
  type ASTNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type ValueNode,
  visit,
} from 'graphql';

/**
 * The path of a value in the arguments of operations or fragments: the argument's name, then fields and list
 * indexes. The first match; undefined when there is none.
 */
export function placeInArguments(
  parts: readonly ASTNode[],
  isMeant: (node: ASTNode) => boolean,
): string[] | undefined {
  for (const part of parts) {
    let found: string[] | undefined;
    visit(part, {
      // Values in here belong to no argument of a field.
      VariableDefinition: () => false,
      Directive: () => false,
      Argument: ({ name, value }) => {
        found ??= placeIn(value, [name.value], isMeant);
      },
    });
    if (found) return found;
  }
  return undefined;
}

function placeIn(
  value: ValueNode,
  path: string[],
  isMeant: (node: ASTNode) => boolean,
): string[] | undefined {
  if (isMeant(value)) return path;
  if (value.kind === 'ListValue')
    return firstOf(value.values, (item, i) => placeIn(item, [...path, String(i)], isMeant));
  if (value.kind !== 'ObjectValue') return undefined;
  return firstOf(value.fields, (field) => {
    const place = [...path, field.name.value];
    return isMeant(field) ? place : placeIn(field.value, place, isMeant);
  });
}

function firstOf<Item, Result>(
  items: readonly Item[],
  look: (item: Item, i: number) => Result | undefined,
): Result | undefined {
  for (const [i, item] of items.entries()) {
    const found = look(item, i);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path of the argument that first uses a variable; the variable's own name when none does. */
export function placeOfVariable(
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  name: string,
): string[] {
  const fragments = definitions.filter(({ kind }) => kind === 'FragmentDefinition');
  const isUse = (node: ASTNode) => node.kind === 'Variable' && node.name.value === name;
  return placeInArguments([operation, ...fragments], isUse) ?? [name];
}
