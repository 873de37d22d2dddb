/** The page size when the caller names none. */
export const defaultFirst = 20;

/** The subgraph returns at most 1,000 rows, and one of them shows whether there is a next page. */
export const maxFirst = 999;
