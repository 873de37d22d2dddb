import { sql } from 'kysely';

/**
 * SQL: any of these texts; an empty list matches nothing. A single parameter, because one for each text could exceed
 * the limit of a statement.
 */
export const anyOf = <Text extends string>(texts: readonly Text[]) => sql<Text>`any(${texts}::text[])`;
