import { sql } from 'kysely';

/** SQL: the database's present time, because the clocks of replicas differ; not the transaction's start. */
export const now = sql<Date>`clock_timestamp()`;

/** SQL: so many milliseconds from now. */
export const fromNow = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`;

/**
 * SQL: so many milliseconds before the statement's start, to compare columns with. `clock_timestamp()` changes from
 * row to row, so no index can be searched by it.
 */
export const ago = (ms: number) => sql<Date>`statement_timestamp() - make_interval(secs => ${ms / 1000})`;
