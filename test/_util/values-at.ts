import type { Data } from './graphql-caller.ts';

/**
 * Everything at a path such as `srrs.edges.*.node.owner`, where `*` is each item of a list. A `?` at the end
 * wants only some of them to be there: what is at the path may be null for others.
 */
export function valuesAt(data: Data, path: string): { values: unknown[]; wanted: 'all' | 'some' } {
  let values: Data[] = [data];
  for (const step of path.replace(/\?$/, '').split('.'))
    values = values.flatMap((value) => (step === '*' ? (value ?? []) : [value?.[step]]));
  return { values, wanted: path.endsWith('?') ? 'some' : 'all' };
}
