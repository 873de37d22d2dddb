import { embedded } from './generated/cache-shape.ts';

export { introspection as schema } from './generated/introspection.ts';

/** For `cacheExchange({ keys, schema })`: values without an id belong to the object that has them. */
export const keys: Record<string, () => null> = Object.fromEntries(
  embedded.map((name) => [name, () => null]),
);
