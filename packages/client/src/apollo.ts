import { embedded, lists } from './generated/cache-shape.ts';

export { possibleTypes } from './generated/cache-shape.ts';

interface TypePolicy {
  keyFields?: false;
  merge?: boolean;
  // Apollo defines what a pagination helper returns.
  fields?: Record<string, never>;
}

/**
 * For `new InMemoryCache({ typePolicies, possibleTypes })`: objects without an id are embedded in their
 * parent, and fields of several queries are merged.
 */
export const typePolicies: Record<string, TypePolicy> = Object.fromEntries(
  embedded.map((name) => [name, { keyFields: false, merge: true }]),
);

/**
 * The same for infinite scrolling: each list is merged from its pages. Call
 * `scrolling(relayStylePagination)`.
 */
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
