import { randomUUID } from 'node:crypto';
import { debianServer, missing } from '@srr-gateway/common/testing/debian-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GrowingSubgraph } from '../_util/growing-subgraph.ts';
import { closedPort } from '../_util/http-server.ts';
import { startLoneGateway } from '../_util/lone-gateway.ts';

const newest = '{ srrs(first: 3, orderBy: CREATED_AT_DESC) { edges { node { tokenId } } } }';

/** Starts replicas over one subgraph, with a server for shared answers. */
async function world() {
  const index = new GrowingSubgraph();
  const subgraph = await index.serve();
  const closedUrl = await closedPort();
  const password = randomUUID();
  const cache = await debianServer('redis-server', (port) =>
    ['--port', port, '--bind', '127.0.0.1', '--save', '', '--requirepass', password].map(String),
  );
  await cache.start();
  onTestFinished(() => cache.stop());
  let minted = 0;
  const mint = () => {
    const tokenId = String(++minted);
    index.mint([{ id: `0x${tokenId.padStart(64, '0')}`, tokenId, at: 1_700_000_000 + minted }]);
    return tokenId;
  };
  mint();

  const start = async (env: Record<string, string> = {}) => {
    const { address, stop } = await startLoneGateway({
      SUBGRAPH_URL: subgraph.url,
      COMMERCE_URL: closedUrl,
      IPFS_GATEWAYS: closedUrl,
      PUBLIC_URL: 'http://gateway.test',
      ANSWERS_URL: `redis://:${password}@127.0.0.1:${cache.port}`,
      ...env,
    });
    onTestFinished(stop);
    const read = async () => {
      const response = await fetch(`${address}/graphql?query=${encodeURIComponent(newest)}`);
      return { bytes: await response.text(), cacheStatus: response.headers.get('cache-status') };
    };
    /** Reads until the replica answers at the newest block, and returns that first answer. */
    const sees = async (tokenId: string) => {
      let answer: Awaited<ReturnType<typeof read>> | undefined;
      const first = async () => {
        answer = await read();
        return JSON.parse(answer.bytes).data.srrs.edges[0]?.node.tokenId;
      };
      await expect.poll(first, { timeout: 10_000 }).toBe(tokenId);
      return answer;
    };
    // Yoga answers the first request of a document.
    await read();
    await sees(String(minted));
    return { sees, read };
  };
  /** How many lists the replicas read from the subgraph, one after the other, at the next block. */
  const listsAtNextBlock = async (...replicas: Awaited<ReturnType<typeof start>>[]) => {
    const tokenId = mint();
    index.lists = 0;
    for (const { sees } of replicas) await sees(tokenId);
    return index.lists;
  };
  return { cache, mint, start, listsAtNextBlock };
}

/** On a busy machine the cache may be too slow for a block or two. */
const pollOptions = { timeout: 20_000 };

describe.skipIf(missing('redis-server'))(`answers that replicas share${missing('redis-server')}`, () => {
  it('are read from the subgraph once at a new block, and have the same bytes', async () => {
    const { start, listsAtNextBlock } = await world();
    const [one, other] = [await start(), await start()];
    await expect.poll(() => listsAtNextBlock(one, other), pollOptions).toBe(1);
    expect((await one.read()).bytes).toBe((await other.read()).bytes);
  });

  it('are marked in Cache-Status', async () => {
    const { mint, start } = await world();
    const [one, other] = [await start(), await start()];
    await expect
      .poll(async () => {
        const tokenId = mint();
        const [first, second] = [await one.sees(tokenId), await other.sees(tokenId)];
        return [first?.cacheStatus, second?.cacheStatus, (await other.read()).cacheStatus];
      }, pollOptions)
      .toEqual(['srr-gateway; fwd=miss', 'srr-gateway; hit; detail=replica', 'srr-gateway; hit']);
  });

  it('are not shared with a replica with other settings', async () => {
    const { start, listsAtNextBlock } = await world();
    const [one, other] = [await start(), await start({ MAX_DEPTH: '9' })];
    for (let block = 0; block < 5; block++) expect(await listsAtNextBlock(one, other)).toBe(2);
  });

  it('cost only milliseconds while their server hangs, and are shared again after it restarts', async () => {
    const { cache, start, listsAtNextBlock } = await world();
    const [one, other] = [await start(), await start()];
    process.kill(cache.pid as number, 'SIGSTOP');
    const startedAt = performance.now();
    for (let block = 0; block < 3; block++) await listsAtNextBlock(one);
    // Each block is noticed within half a second, and read within milliseconds.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    process.kill(cache.pid as number, 'SIGCONT');
    await cache.stop();
    await listsAtNextBlock(one);
    await cache.start();
    await expect.poll(() => listsAtNextBlock(one, other), pollOptions).toBe(1);
  });
});
