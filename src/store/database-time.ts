import { sql } from 'kysely';

/** SQL: the database's time, because the clocks of replicas differ. Not that of the transaction's begin. */
export const now = sql<Date>`clock_timestamp()`;

/** SQL: so many milliseconds from now. */
export const fromNow = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`;

/**
 * SQL: so many milliseconds before the statement began, to compare columns with. An index cannot be searched by
 * `clock_timestamp()`, which changes from row to row.
 */
export const ago = (ms: number) => sql<Date>`statement_timestamp() - make_interval(secs => ${ms / 1000})`;
