import { embedded } from './generated/cache-shape.ts';

export { introspection as schema } from './generated/introspection.ts';

/** For `cacheExchange({ keys, schema })`: objects without an id are embedded in their parent. */
export const keys: Record<string, () => null> = Object.fromEntries(
  embedded.map((name) => [name, () => null]),
);
