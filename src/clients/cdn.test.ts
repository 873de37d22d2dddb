import type { ServerResponse } from 'node:http';
import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished, vi } from 'vitest';
import { reply, serve } from '../../test/_util/http-server.ts';
import { createCdn } from './cdn.ts';

/** A gateway that has sent a response at each of these blocks, and now sees a newer block. */
async function afterBlocks(
  blocks: number,
  answer: (response: ServerResponse, nth: number) => unknown = (response) => reply(response, 200, {}),
) {
  const at: number[] = [];
  const hook = await serve((_, response, nth) => {
    at.push(performance.now());
    return answer(response, nth);
  });
  const newest = `0x${'f'.repeat(64)}`;
  const cdn = createCdn({ url: hook.url, headers: {}, newest: () => newest, log: silent });
  onTestFinished(() => cdn.close());
  for (let block = 0; block < blocks; block++) cdn.tagsOf(`0x${String(block).padStart(64, '0')}`);
  const purges = async (count: number) => {
    await expect.poll(() => hook.received.length, { timeout: 10_000 }).toBe(count);
    return hook.received.map((purge) => purge.json<{ tags: string[] }>().tags);
  };
  return { cdn, at, newest, purges };
}

it('the CDN client purges everything if there are more tags than a CDN accepts at once', async () => {
  const few = await afterBlocks(29);
  expect((await few.purges(1))[0]).toHaveLength(30);
  const many = await afterBlocks(30);
  expect(await many.purges(1)).toEqual([['srr']]);
});

it('the CDN client watches for newer blocks while a CDN may keep a response, and not before', async () => {
  const block = `0x${'1'.repeat(64)}`;
  const watching = () => {
    const newest = vi.fn(() => block);
    const cdn = createCdn({ url: 'http://127.0.0.1:9', headers: {}, newest, log: silent });
    onTestFinished(() => cdn.close());
    return { cdn, newest };
  };
  const idle = watching();
  const busy = watching();
  busy.cdn.tagsOf(block);
  await expect.poll(() => busy.newest.mock.calls.length, { timeout: 10_000 }).toBe(3);
  expect(idle.newest).not.toHaveBeenCalled();
});

it('the CDN client waits for the Retry-After of a CDN, and then purges the same tags', async () => {
  const { at, purges } = await afterBlocks(1, (response, nth) =>
    nth === 0 ? response.writeHead(429, { 'retry-after': '3' }).end() : reply(response, 200, {}),
  );
  const [first, second] = await purges(2);
  expect(second).toEqual(first);
  expect((at[1] as number) - (at[0] as number)).toBeGreaterThan(2_950);
});

it('tags consist of letters and digits only, whatever block hash a subgraph reports', async () => {
  const { cdn } = await afterBlocks(0);
  expect(cdn.tagsOf('0x1\r\nset-cookie: a=1, b')).toEqual([
    'surrogate-key',
    'srr srr-block-setcookiea1b',
    'cache-tag',
    'srr,srr-block-setcookiea1b',
  ]);
});
