import { chunksOf } from '@srr-gateway/common/chunks';
import { anyOf } from '../store/any-of.ts';
import type { Db } from '../store/tables.ts';
import { BlockFiles } from './block-files.ts';
import { importTo } from './import.ts';

/** Content to publish under a CID; `open` gives its bytes. */
export interface Publication {
  cid: string;
  contentType: string;
  open(): AsyncIterable<Uint8Array>;
}

/** Concurrent imports, which wait for the disk more than for the processor. */
const importsAtOnce = 8;
/** Rows in one statement: PostgreSQL takes at most 65,535 parameters, and a row has two. */
const rowsAtOnce = 10_000;

/** The content published on the sandbox's IPFS gateway, as blocks on disk. */
export class Content {
  readonly blocks: BlockFiles;
  readonly #db: Db;

  private constructor(db: Db, blocks: BlockFiles) {
    this.#db = db;
    this.blocks = blocks;
  }

  static async open(db: Db, directory: string): Promise<Content> {
    return new Content(db, await BlockFiles.open(directory));
  }

  /**
   * Publishes content under CIDs that were calculated before; skips what is published already. Throws when
   * the bytes have another CID; then no row of this call is written, but its imported blocks stay on disk.
   */
  async publish(publications: Iterable<Publication>): Promise<void> {
    const byCid = new Map([...publications].map((publication) => [publication.cid, publication]));
    for (const cid of await this.#publishedOf(byCid.keys())) byCid.delete(cid);
    const waiting = [...byCid.values()];
    const importNext = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const actual = await importTo(this.blocks, next.open());
        if (actual !== next.cid) throw new Error(`bytes to be published as ${next.cid} have CID ${actual}`);
      }
    };
    await Promise.all(Array.from({ length: importsAtOnce }, importNext));
    const rows = [...byCid.values()].map(({ cid, contentType }) => ({ cid, content_type: contentType }));
    for (const some of chunksOf(rows, rowsAtOnce))
      await this.#db
        .insertInto('published')
        .values(some)
        .onConflict((conflict) => conflict.column('cid').doNothing())
        .execute();
  }

  async #publishedOf(cids: Iterable<string>): Promise<string[]> {
    const rows = await this.#db.selectFrom('published').select('cid').where(anyOf('cid', cids)).execute();
    return rows.map(({ cid }) => cid);
  }

  /** The Content-Type that a root was published with; `undefined` when it is not a published root. */
  async contentTypeOf(cid: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('published')
      .select('content_type')
      .where('cid', '=', cid)
      .executeTakeFirst();
    return row?.content_type;
  }
}
