import { sql } from 'kysely';

/**
 * SQL: one of these texts; of none of them it matches nothing. All are one parameter: one for each would exceed the
 * limit of a statement.
 */
export const anyOf = <Text extends string>(texts: readonly Text[]) => sql<Text>`any(${texts}::text[])`;
