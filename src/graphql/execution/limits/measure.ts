import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { QueryLimits } from '../../../config/config.ts';
import { limitExceeded } from './limit-error.ts';

/** What can be measured of a document before it is validated. */
interface Measures {
  depth: number;
  aliases: number;
  directives: number;
  rootFields: number;
  fragments: number;
}

const words: Record<keyof Measures, (measured: number) => string> = {
  depth: (n) => `An operation is nested ${n} levels deep`,
  aliases: (n) => `An operation gives ${n} fields another name or asks for them again`,
  directives: (n) => `The document has ${n} directives`,
  rootFields: (n) => `An operation asks for ${n} root fields`,
  fragments: (n) => `The document spreads fragments ${n} times`,
};

/**
 * The error for the first limit that a document exceeds; undefined when there is none. Runs before
 * validation, whose time grows with the square of repeated fields and of fragments. Each fragment is measured
 * once and counted at every spread, so that fragments cannot multiply a query unnoticed.
 */
export function documentBreach(document: DocumentNode, limits: QueryLimits): GraphQLError | undefined {
  const measures = measureDocument(document);
  for (const name of ['fragments', 'directives', 'depth', 'aliases', 'rootFields'] as const)
    if (measures[name] > limits[name])
      return limitExceeded(name, limits[name], measures[name], words[name](measures[name]));
  return undefined;
}

type Held = Pick<Measures, 'depth' | 'aliases' | 'rootFields'>;

/** Measures a document. Each fragment is walked once, however often it is spread. */
export function measureDocument(document: DocumentNode): Measures {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions)
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const known = new Map<string, Held>();
  const counted = { directives: 0, fragments: 0 };

  const ofFragment = (name: string): Held => {
    counted.fragments++;
    const before = known.get(name);
    if (before) return before;
    // Ends the recursion of a circular fragment, which validation then refuses by name.
    known.set(name, nothing);
    const fragment = fragments.get(name);
    if (fragment) known.set(name, ofSelections(fragment.selectionSet));
    return known.get(name) ?? nothing;
  };

  const ofField = (field: FieldNode): Held => {
    // The standard introspection query is deep. Validation has a rule of its own that bounds it.
    const inner =
      field.selectionSet && !field.name.value.startsWith('__') && ofSelections(field.selectionSet);
    return { depth: 1 + (inner ? inner.depth : 0), aliases: inner ? inner.aliases : 0, rootFields: 1 };
  };

  const ofSelections = ({ selections }: SelectionSetNode): Held => {
    const held: Held = { ...nothing };
    const names = new Set<string>();
    for (const selection of selections) {
      counted.directives += selection.directives?.length ?? 0;
      const inner =
        selection.kind === Kind.FIELD
          ? ofField(selection)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? ofSelections(selection.selectionSet)
            : ofFragment(selection.name.value);
      held.depth = Math.max(held.depth, inner.depth);
      held.aliases += inner.aliases;
      held.rootFields += inner.rootFields;
      if (selection.kind !== Kind.FIELD) continue;
      if (selection.alias || names.has(selection.name.value)) held.aliases++;
      names.add(selection.name.value);
    }
    return held;
  };

  const operations = document.definitions.flatMap((one) => {
    counted.directives += 'directives' in one ? (one.directives?.length ?? 0) : 0;
    return one.kind === Kind.OPERATION_DEFINITION ? [ofSelections(one.selectionSet)] : [];
  });
  // Fragments that nothing spreads count too: validation processes them before it refuses them.
  for (const name of fragments.keys()) if (!known.has(name)) ofFragment(name);
  const most = (name: keyof Held) => Math.max(0, ...operations.map((one) => one[name]));
  return { ...counted, depth: most('depth'), aliases: most('aliases'), rootFields: most('rootFields') };
}

const nothing: Held = Object.freeze({ depth: 0, aliases: 0, rootFields: 0 });
