import { describe, expect, it } from 'vitest';
import type { At, BlockRef } from '../clients/subgraph/subgraph.ts';
import { BlockPin } from './block-pin.ts';

const at = (number: number): BlockRef => ({ number, hash: `0x${number}` });
const answer = (block: BlockRef) => ({ block });
const pinned = () => new BlockPin(new AbortController().signal);

describe('the block of a request', () => {
  it('is that of the first answer, and reads that began earlier wait for it', async () => {
    const pin = pinned();
    const asked: (BlockRef | undefined)[] = [];
    const read = () =>
      pin.read(async ({ block }: At) => {
        asked.push(block);
        return answer(block ?? at(7));
      });
    await Promise.all([read(), read(), read()]);
    expect(asked).toEqual([undefined, at(7), at(7)]);
  });

  it('is set by the next read when the first one fails', async () => {
    const pin = pinned();
    const failed = pin.read(() => Promise.reject(new Error('down')));
    const next = pin.read(async ({ block }) => answer(block ?? at(8)));
    await expect(failed).rejects.toThrow('down');
    expect((await next).block.number).toBe(8);
    expect((await pin.read(async ({ block }) => answer(block ?? at(9)))).block.number).toBe(8);
  });

  it('is that of a cursor, when one is given', async () => {
    const pin = pinned();
    await pin.read(async ({ block }) => answer(block ?? at(9)), at(5));
    expect((await pin.read(async ({ block }) => answer(block ?? at(9)))).block.number).toBe(5);
  });

  it('of a cursor is not pinned when it is gone: the rest of the request reads the newest', async () => {
    const pin = pinned();
    const gone = pin.read(() => Promise.reject(new Error('gone')), at(5));
    const rest = pin.read(async ({ block }) => answer(block ?? at(9)));
    await expect(gone).rejects.toThrow('gone');
    expect((await rest).block.number).toBe(9);
  });
});
