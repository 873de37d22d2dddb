import { exporter } from 'ipfs-unixfs-exporter';
import { CID } from 'multiformats/cid';
import { isLegacyDigest } from '../chain/token-id.ts';
import type { Content } from '../ipfs/content.ts';
import type { Db } from '../store/tables.ts';

/** Finds metadata documents by the name that the chain has for them: a CID, or before 2023 a digest. */
export class Documents {
  readonly #db: Db;
  readonly #content: Content;

  constructor(db: Db, content: Content) {
    this.#db = db;
    this.#content = content;
  }

  /** The document's text, byte for byte as published; `undefined` when this sandbox does not have it. */
  async text(name: string): Promise<string | undefined> {
    return isLegacyDigest(name) ? this.#legacy(name) : this.#published(name);
  }

  /** The parsed document; null when this sandbox does not have it or it is not JSON. */
  async json(name: string): Promise<unknown> {
    try {
      return JSON.parse((await this.text(name)) ?? 'null');
    } catch {
      return null;
    }
  }

  async #legacy(digest: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('legacy_metadata')
      .select('document')
      .where('digest', '=', digest.toLowerCase())
      .executeTakeFirst();
    return row?.document;
  }

  async #published(name: string): Promise<string | undefined> {
    try {
      const entry = await exporter(CID.parse(name), this.#content.blocks);
      if (entry.type !== 'file' && entry.type !== 'raw') return undefined;
      const pieces: Uint8Array[] = [];
      for await (const piece of entry.content()) pieces.push(piece);
      return Buffer.concat(pieces).toString('utf8');
    } catch {
      // The name is not a CID, or this gateway lacks a block.
      return undefined;
    }
  }
}
