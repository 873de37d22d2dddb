import { expect, it } from 'vitest';
import { chainIndexed } from './chain-indexed.ts';

/** An index that has reached the next of these blocks at each poll. */
function reading(...blocks: (number | undefined)[]) {
  let looks = 0;
  const head = () => {
    const number = blocks[Math.min(looks++, blocks.length - 1)];
    return number === undefined ? undefined : { number, hash: '0x', timestamp: 0 };
  };
  return { subgraph: { head: head as never }, looks: () => looks };
}

it('waits until the index has the last block, and not only its first ones', async () => {
  const { subgraph, looks } = reading(undefined, 200, 236, 237);
  await chainIndexed(subgraph, 237);
  expect(looks()).toBe(4);
});

it('gives up on an index that makes no progress', async () => {
  const { subgraph, looks } = reading(200);
  await chainIndexed(subgraph, 237, 50);
  expect(looks()).toBeGreaterThan(1);
});
