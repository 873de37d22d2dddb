import {
  type ASTNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type ValueNode,
  visit,
} from 'graphql';

/**
 * Where a value stands among the arguments of operations or fragments: the argument's name, then fields and places in
 * lists. Undefined when none is like that; of several the first.
 */
export function placeInArguments(
  parts: readonly ASTNode[],
  isMeant: (node: ASTNode) => boolean,
): string[] | undefined {
  for (const part of parts) {
    let found: string[] | undefined;
    visit(part, {
      // Their values are nobody's arguments.
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

/** Where a variable is used first; one that no argument uses stands for itself. */
export function placeOfVariable(
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  name: string,
): string[] {
  const fragments = definitions.filter(({ kind }) => kind === 'FragmentDefinition');
  const isUse = (node: ASTNode) => node.kind === 'Variable' && node.name.value === name;
  return placeInArguments([operation, ...fragments], isUse) ?? [name];
}
