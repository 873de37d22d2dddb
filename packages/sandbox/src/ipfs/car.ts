import { Readable } from 'node:stream';
import { CarWriter } from '@ipld/car';
import type { CID } from 'multiformats/cid';
import { type BlockSource, readBlock, walkBlocks } from './blocks.ts';

/** What a CAR contains. */
interface CarContent {
  /** The blocks on the path from the root to the content; a client verifies the path with them. */
  path: readonly CID[];
  content: CID;
  /** The content's own block, or also everything below it. */
  scope: 'block' | 'all';
}

/** Streams a CAR (version 1) block by block at the reader's pace; each block is in it once. */
export function carOf(blocks: BlockSource, { path, content, scope }: CarContent): Readable {
  const { writer, out } = CarWriter.create([content]);
  const stream = Readable.from(out, { objectMode: false });
  async function write(): Promise<void> {
    const single = scope === 'block' ? [...path, content] : path;
    const written = new Map(single.map((cid) => [`${cid}`, cid]));
    for (const cid of written.values()) await writer.put({ cid, bytes: await readBlock(blocks, cid) });
    if (scope === 'all')
      for await (const block of walkBlocks(blocks, content))
        if (!written.has(`${block.cid}`)) await writer.put(block);
    await writer.close();
  }
  // Destroy the stream when a block cannot be read: otherwise the client waits for its end forever.
  write().catch((error) => stream.destroy(error));
  return stream;
}
