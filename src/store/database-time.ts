import { sql } from 'kysely';

/** SQL: the present time, not that of the transaction's begin; by the database, as the clocks of replicas differ. */
export const now = sql<Date>`clock_timestamp()`;

/** SQL: this many milliseconds from now. */
export const fromNow = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`;

/**
 * SQL: this many milliseconds before the statement began. For comparison with a column: `clock_timestamp()` changes
 * from row to row, so no index can be used for it.
 */
export const ago = (ms: number) => sql<Date>`statement_timestamp() - make_interval(secs => ${ms / 1000})`;
