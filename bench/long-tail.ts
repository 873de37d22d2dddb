/**
 * A random rank below `count` with a long tail: one of the first ten is as likely as one of the next ninety.
 * The most popular item has rank 0.
 */
export const longTail = (count: number) => Math.floor(count ** Math.random()) - 1;
