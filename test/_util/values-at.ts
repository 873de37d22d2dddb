import type { Data } from './graphql-caller.ts';

/**
 * All values at a path such as `srrs.edges.*.node.owner`, where `*` is each item of a list. With a `?` at the
 * end, only some of them must be there, and the others may be null.
 */
export function valuesAt(data: Data, path: string): { values: unknown[]; wanted: 'all' | 'some' } {
  let values: Data[] = [data];
  for (const step of path.replace(/\?$/, '').split('.'))
    values = values.flatMap((value) => (step === '*' ? (value ?? []) : [value?.[step]]));
  return { values, wanted: path.endsWith('?') ? 'some' : 'all' };
}
