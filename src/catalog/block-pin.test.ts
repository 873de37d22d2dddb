import { describe, expect, it } from 'vitest';
import type { At, BlockRef } from '../clients/subgraph/subgraph.ts';
import { BlockPin } from './block-pin.ts';

const at = (number: number): BlockRef => ({ number, hash: `0x${number}` });
const answer = (block: BlockRef) => ({ block });
const pinned = () => new BlockPin(new AbortController().signal);

describe('the block of a request', () => {
  it('comes from the first response, for which concurrent reads wait', async () => {
    const pin = pinned();
    const requested: (BlockRef | undefined)[] = [];
    const read = () =>
      pin.read(async ({ block }: At) => {
        requested.push(block);
        return answer(block ?? at(7));
      });
    await Promise.all([read(), read(), read()]);
    expect(requested).toEqual([undefined, at(7), at(7)]);
  });

  it('comes from the next read when the first one fails', async () => {
    const pin = pinned();
    const failed = pin.read(() => Promise.reject(new Error('down')));
    const next = pin.read(async ({ block }) => answer(block ?? at(8)));
    await expect(failed).rejects.toThrow('down');
    expect((await next).block.number).toBe(8);
    expect((await pin.read(async ({ block }) => answer(block ?? at(9)))).block.number).toBe(8);
  });

  it('comes from the cursor, if there is one', async () => {
    const pin = pinned();
    await pin.read(async ({ block }) => answer(block ?? at(9)), at(5));
    expect((await pin.read(async ({ block }) => answer(block ?? at(9)))).block.number).toBe(5);
  });

  it('stays that of the first read, whatever block a cursor has', async () => {
    const pin = pinned();
    const first = pin.read(async () => answer(at(9)));
    await pin.read(async () => answer(at(5)), at(5));
    await first;
    expect(pin.newest).toEqual(at(9));
    await pin.read(async () => answer(at(5)), at(5));
    expect(pin.newest).toEqual(at(9));
  });

  it('does not count for a read that must see the newest block', async () => {
    const pin = pinned();
    await pin.read(async () => answer(at(7)));
    const { asked } = await pin.readNewest(async (asked) => ({ ...answer(at(8)), asked }));
    expect(asked).toMatchObject({ newest: true });
    expect(asked.block).toBeUndefined();
    expect(pin.block).toEqual(at(7));
  });

  it('is the newest one when the block of the cursor is gone', async () => {
    const pin = pinned();
    const gone = pin.read(() => Promise.reject(new Error('gone')), at(5));
    const rest = pin.read(async ({ block }) => answer(block ?? at(9)));
    await expect(gone).rejects.toThrow('gone');
    expect((await rest).block.number).toBe(9);
  });

  it('has answers that lack fields if one of them does', async () => {
    const pin = pinned();
    await pin.read(async () => ({ ...answer(at(7)), trimmed: true as const }));
    await pin.read(async () => answer(at(7)));
    expect(pin.trimmed).toBe(true);
  });
});
