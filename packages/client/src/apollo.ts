import { embedded, lists } from './generated/cache-shape.ts';

export { possibleTypes } from './generated/cache-shape.ts';

interface TypePolicy {
  keyFields?: false;
  merge?: boolean;
  // What a pagination helper returns is Apollo's to know.
  fields?: Record<string, never>;
}

/**
 * For `new InMemoryCache({ typePolicies, possibleTypes })`: values without an id belong to the object that has
 * them, and what two queries asked of one is kept together.
 */
export const typePolicies: Record<string, TypePolicy> = Object.fromEntries(
  embedded.map((name) => [name, { keyFields: false, merge: true }]),
);

/** The same, and every list grows by its pages: `scrolling(relayStylePagination)`. */
export function scrolling<Policy>(
  paginate: (keyArgs: string[] | false) => Policy,
): Record<string, TypePolicy & { fields?: Record<string, Policy> }> {
  const policies: Record<string, TypePolicy & { fields?: Record<string, Policy> }> = { ...typePolicies };
  for (const [type, fields] of Object.entries(lists))
    policies[type] = {
      ...policies[type],
      fields: Object.fromEntries(
        Object.entries(fields).map(([name, keys]) => [name, paginate(keys.length > 0 && keys)]),
      ) as never,
    };
  return policies;
}
