import { describe, expect, it } from 'vitest';
import { type At, SubgraphError } from '../subgraph/subgraph.ts';
import { BlockPin } from './pin.ts';

const answer = (number: number) => ({ block: { number }, hasIndexingErrors: false });
const pinned = () => new BlockPin(new AbortController().signal);

describe('the block of a request', () => {
  it('is that of the first answer, and reads that began earlier wait for it', async () => {
    const pin = pinned();
    const asked: (number | undefined)[] = [];
    const read = () =>
      pin.read(async (at: At) => {
        asked.push(at.block);
        return answer(at.block ?? 7);
      });
    await Promise.all([read(), read(), read()]);
    expect(asked).toEqual([undefined, 7, 7]);
  });

  it('is set by the next read when the first one fails', async () => {
    const pin = pinned();
    const failed = pin.read(() => Promise.reject(new Error('down')));
    const next = pin.read(async (at) => answer(at.block ?? 8));
    await expect(failed).rejects.toThrow('down');
    expect((await next).block.number).toBe(8);
    expect((await pin.read(async (at) => answer(at.block ?? 9))).block.number).toBe(8);
  });

  it('is that of a cursor, when one is given', async () => {
    const pin = pinned();
    await pin.read(async (at) => answer(at.block ?? 9), 5);
    expect((await pin.read(async (at) => answer(at.block ?? 9))).block.number).toBe(5);
  });

  it.each(['BLOCK_PRUNED', 'BLOCK_UNKNOWN'] as const)(
    'of a cursor is the caller’s to mend when it is %s',
    async (kind) => {
      const read = pinned().read(() => Promise.reject(new SubgraphError(kind, { said: 'gone' })), 5);
      await expect(read).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        faults: [{ path: ['after'], upstreamMessage: 'gone' }],
      });
    },
  );

  it('of a cursor leaves other failures as they are', async () => {
    const down = new SubgraphError('UNREACHABLE');
    await expect(pinned().read(() => Promise.reject(down), 5)).rejects.toBe(down);
  });
});
