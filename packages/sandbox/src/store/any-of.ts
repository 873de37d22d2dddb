import { type RawBuilder, sql } from 'kysely';

/**
 * The condition that a column has one of the values. The list is one array parameter: `in` binds one for each
 * value, and a statement takes at most 65,535.
 */
export function anyOf(
  column: string,
  values: Iterable<string>,
  type: 'text' | 'uuid' | 'int8' = 'text',
): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = any(${[...values]}::${sql.raw(type)}[])`;
}
