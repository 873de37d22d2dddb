import { sql } from 'kysely';

/**
 * SQL: any of these texts; an empty list matches nothing. The list is one parameter, because a statement may not have
 * thousands of them.
 */
export const anyOf = <Text extends string>(texts: readonly Text[]) => sql<Text>`any(${texts}::text[])`;
