/**
 * A rank below `count` as people choose: one among the first ten is as likely as one among the next ninety. The most
 * popular thing has rank 0.
 */
export const longTail = (count: number) => Math.floor(count ** Math.random()) - 1;
