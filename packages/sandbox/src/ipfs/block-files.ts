import { FsBlockstore } from 'blockstore-fs';
import type { CID } from 'multiformats/cid';
import type { BlockSource } from './blocks.ts';

/**
 * Stores blocks as files. The library writes a block through a temporary file with a fixed name, so two
 * writers of the same block would corrupt it; here concurrent imports share one write.
 */
export class BlockFiles implements BlockSource {
  readonly #store: FsBlockstore;
  readonly #writing = new Map<string, Promise<void>>();

  private constructor(store: FsBlockstore) {
    this.#store = store;
  }

  static async open(directory: string): Promise<BlockFiles> {
    const store = new FsBlockstore(directory);
    await store.open();
    return new BlockFiles(store);
  }

  get(cid: CID): AsyncGenerator<Uint8Array> {
    return this.#store.get(cid);
  }

  async put(cid: CID, block: Uint8Array): Promise<CID> {
    const name = Buffer.from(cid.multihash.bytes).toString('hex');
    let writing = this.#writing.get(name);
    if (writing === undefined) {
      writing = this.#write(cid, block).finally(() => this.#writing.delete(name));
      this.#writing.set(name, writing);
    }
    await writing;
    return cid;
  }

  async #write(cid: CID, block: Uint8Array): Promise<void> {
    if (!(await this.#store.has(cid))) await this.#store.put(cid, block);
  }
}
