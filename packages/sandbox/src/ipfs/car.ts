import { Readable } from 'node:stream';
import { CarWriter } from '@ipld/car';
import type { CID } from 'multiformats/cid';
import { type BlockSource, readBlock, walkBlocks } from './blocks.ts';

export interface CarContent {
  /** The blocks on the way to the content, from the root on: they prove that the path leads there. */
  path: readonly CID[];
  content: CID;
  /** Its block alone, or everything below it too. */
  scope: 'block' | 'all';
}

/** A CAR (version 1), streamed block by block at the reader's pace; each block is in it once. */
export function carOf(blocks: BlockSource, { path, content, scope }: CarContent): Readable {
  const { writer, out } = CarWriter.create([content]);
  const stream = Readable.from(out, { objectMode: false });
  async function write(): Promise<void> {
    const written = new Set<string>();
    for (const cid of path) {
      if (!written.has(`${cid}`)) await writer.put({ cid, bytes: await readBlock(blocks, cid) });
      written.add(`${cid}`);
    }
    if (scope === 'all') {
      for await (const block of walkBlocks(blocks, content))
        if (!written.has(`${block.cid}`)) await writer.put(block);
    } else if (!written.has(`${content}`)) {
      await writer.put({ cid: content, bytes: await readBlock(blocks, content) });
    }
    await writer.close();
  }
  // A block that cannot be read cuts the stream, so that the client sees an incomplete answer, not a hang.
  write().catch((error) => stream.destroy(error));
  return stream;
}
