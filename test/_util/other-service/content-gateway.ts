import { exporter } from 'ipfs-unixfs-exporter';
import { CID } from 'multiformats/cid';
import type { Tree } from './content.ts';
import type { Variants } from './variants.ts';
import type { Reply, SeenRequest } from './web.ts';

const empty = 'bafkqaaa';

/** The gateway at `{cdn_url}`, which serves blocks and files by CID. */
export class ContentGateway {
  readonly #blocks = new Map<string, { bytes: Uint8Array; from: number }>();
  readonly #variants: Variants;

  constructor(variants: Variants) {
    this.#variants = variants;
  }

  publish({ blocks }: Tree): void {
    const from = Date.now() + this.#variants.ipfs.publishMs;
    for (const [cid, bytes] of blocks) if (!this.#blocks.has(cid)) this.#blocks.set(cid, { bytes, from });
  }

  async answer({ path, query, headers }: SeenRequest): Promise<Reply> {
    const cid = path.slice('/ipfs/'.length);
    const block = this.#block(cid);
    if (!block) return { status: 404, body: 'not found', headers: { 'content-type': 'text/plain' } };
    const format = query.get('format') ?? String(headers.accept);
    if (format.includes('raw'))
      return { status: 200, body: block, headers: { 'content-type': 'application/vnd.ipld.raw' } };
    if (format.includes('car'))
      return { status: 406, body: 'no archives', headers: { 'content-type': 'text/plain' } };
    return {
      status: 200,
      body: await this.#file(cid),
      headers: { 'content-type': 'application/octet-stream' },
    };
  }

  #block(cid: string): Uint8Array | undefined {
    if (cid === empty) return new Uint8Array();
    const block = this.#blocks.get(cid);
    return block && Date.now() >= block.from ? block.bytes : undefined;
  }

  async #file(cid: string): Promise<Uint8Array> {
    const store = {
      get: async function* (this: void, one: CID) {
        const block = find(one.toString());
        if (!block) throw new Error(`no block ${one}`);
        yield block;
      },
    };
    const find = (one: string) => this.#block(one);
    const file = await exporter(CID.parse(cid), store as never);
    if (file.type !== 'file' && file.type !== 'raw') throw new Error('not a file');
    const pieces: Uint8Array[] = [];
    for await (const piece of file.content()) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}
