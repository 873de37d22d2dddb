import type { rows } from '../../testing/document-rows.ts';
import type { Bench } from './bench.ts';

type Tables = typeof rows;
export type Table = keyof Tables;

/** Every row of a table has a case, which both the compiler and the suite check. */
export type Cases = { [T in Table]: { [R in Tables[T][number]]: Case } };

export type Case = (at: Bench) => Promise<void>;
