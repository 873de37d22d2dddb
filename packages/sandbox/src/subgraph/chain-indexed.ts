import { sleep } from '@srr-gateway/common/time';
import type { Subgraph } from './subgraph.ts';

/** The fixtures' few hundred blocks take a second or two. A failing index is retried while the server already runs. */
const indexedWithinMs = 15_000;

/** Waits until the index has all blocks: until then a query misses records that are on chain, or finds no index. */
export async function chainIndexed(
  subgraph: Pick<Subgraph, 'head'>,
  block: number,
  withinMs = indexedWithinMs,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while ((subgraph.head()?.number ?? -1) < block && Date.now() < deadline) await sleep(10);
}
