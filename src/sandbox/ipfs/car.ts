import { Readable } from 'node:stream';
import { CarWriter } from '@ipld/car';
import type { CID } from 'multiformats/cid';
import { type BlockSource, readBlock, walkBlocks } from './blocks.ts';

/** A CAR (version 1) of a DAG, streamed block by block at the reader's pace. */
export function carOf(blocks: BlockSource, root: CID, { onlyRoot }: { onlyRoot: boolean }): Readable {
  const { writer, out } = CarWriter.create([root]);
  const stream = Readable.from(out, { objectMode: false });
  async function write(): Promise<void> {
    if (onlyRoot) await writer.put({ cid: root, bytes: await readBlock(blocks, root) });
    else for await (const block of walkBlocks(blocks, root)) await writer.put(block);
    await writer.close();
  }
  // A block that cannot be read cuts the stream, so that the client sees an incomplete answer, not a hang.
  write().catch((error) => stream.destroy(error));
  return stream;
}
