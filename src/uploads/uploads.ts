import { sql } from 'kysely';
import type { Commerce, Credentials, FileCategory, FileKey, SignedFile } from '../commerce/commerce.ts';
import type { Storage } from '../commerce/storage.ts';
import { type Fault, GatewayError } from '../lib/errors.ts';
import type { Db } from '../store/store.ts';
import { specFaults, type UploadSpec } from './check-specs.ts';
import { type Incoming, passThrough } from './pass-through.ts';
import { UploadSession } from './upload-session.ts';

/** A file of an issuer at the service, as far as it never changes. */
export interface UploadFile extends FileKey {
  contentType: string;
  finalUrl: string;
}

/** Signed URLs live this long after they were made, by the document. */
export const signedUrlMs = 15 * 60_000;

/** What the gateway does with files: names them, signs for them, remembers what was announced. */
export class Uploads {
  readonly #db: Db;
  readonly #commerce: Commerce;

  readonly #storage: Storage;

  constructor(deps: { db: Db; commerce: Commerce; storage: Storage }) {
    this.#db = deps.db;
    this.#commerce = deps.commerce;
    this.#storage = deps.storage;
  }

  /** Streams a caller's bytes to storage; see `passThrough`. */
  receive(credentials: Credentials, key: FileKey, incoming: Incoming, signal: AbortSignal): Promise<void> {
    return passThrough({ uploads: this, storage: this.#storage }, credentials, key, incoming, signal);
  }

  /** What one request asks of files, batched. */
  session(credentials: Credentials, signal: AbortSignal): UploadSession {
    return new UploadSession(this, this.#commerce, credentials, signal);
  }

  /**
   * Prepares uploads, one signing call for all. Content that is announced by its hash and is known
   * already is answered with the file that holds it: there is nothing left to upload.
   * @throws GatewayError with every fault of the input.
   */
  async create(
    credentials: Credentials,
    specs: UploadSpec[],
    signal?: AbortSignal,
  ): Promise<{ file: UploadFile; signed: SignedFile | undefined }[]> {
    const faults = specFaults(specs);
    if (faults.length > 0) throw new GatewayError(faults as [Fault, ...Fault[]]);
    const known = await this.#knownContent(credentials, specs);
    const fresh = specs.filter((_, i) => !known[i]);
    const signed =
      fresh.length > 0 ? await this.#commerce.signedUrls(credentials, 'write', fresh, signal) : [];
    await this.#remember(credentials, fresh, signed);
    let next = 0;
    return specs.map((spec, i) => {
      const file = known[i];
      if (file) return { file, signed: undefined };
      const answer = signed[next++] as SignedFile;
      return { file: fileOf(spec, answer), signed: answer };
    });
  }

  /** What the service knows of the files by name: their fixed facts, and an address to download from. */
  async sign(
    credentials: Credentials,
    action: 'read' | 'write',
    keys: readonly FileKey[],
    signal?: AbortSignal,
  ): Promise<SignedFile[]> {
    const signed = await this.#commerce.signedUrls(credentials, action, [...keys], signal);
    await this.#remember(credentials, keys, signed);
    return signed;
  }

  /** What was announced of a file when its upload was prepared. */
  async announced(
    credentials: Credentials,
    key: FileKey,
  ): Promise<{ hash: string | null; size: number | null } | undefined> {
    const row = await this.#db
      .selectFrom('upload')
      .select(['expected_hash', 'expected_size'])
      .where('issuer', '=', credentials.issuer)
      .where('category', '=', key.category)
      .where('filename', '=', key.filename)
      .executeTakeFirst();
    return (
      row && { hash: row.expected_hash, size: row.expected_size === null ? null : Number(row.expected_size) }
    );
  }

  async #knownContent({ issuer }: Credentials, specs: UploadSpec[]): Promise<(UploadFile | undefined)[]> {
    const hashes = specs.flatMap((spec) => spec.hash ?? []);
    if (hashes.length === 0) return [];
    const rows = await this.#db
      .selectFrom('upload')
      .selectAll()
      .where('issuer', '=', issuer)
      .where('hash', 'in', hashes)
      .execute();
    return specs.map((spec) => {
      const row = rows.find((one) => one.hash === spec.hash && one.category === spec.category);
      return (
        row && {
          filename: row.filename,
          category: row.category as FileCategory,
          contentType: row.content_type,
          finalUrl: row.final_url,
        }
      );
    });
  }

  async #remember(
    { issuer }: Credentials,
    specs: readonly (FileKey & Partial<UploadSpec>)[],
    signed: SignedFile[],
  ): Promise<void> {
    if (specs.length === 0) return;
    await this.#db
      .insertInto('upload')
      .values(
        specs.map((spec, i) => ({
          issuer,
          filename: spec.filename,
          category: spec.category,
          content_type: (signed[i] as SignedFile).contentType,
          final_url: (signed[i] as SignedFile).finalUrl,
          expected_hash: spec.hash ?? null,
          expected_size: spec.size === undefined ? null : String(spec.size),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['issuer', 'category', 'filename']).doUpdateSet((set) => ({
          content_type: set.ref('excluded.content_type'),
          final_url: set.ref('excluded.final_url'),
          // Signing a name again announces nothing; what was announced stays.
          expected_hash: sql<string>`coalesce(excluded.expected_hash, upload.expected_hash)`,
          expected_size: sql<string>`coalesce(excluded.expected_size, upload.expected_size)`,
          updated_at: sql<Date>`clock_timestamp()`,
        })),
      )
      .execute();
  }
}

export const fileOf = (key: FileKey, signed: SignedFile): UploadFile => ({
  filename: key.filename,
  category: key.category,
  contentType: signed.contentType,
  finalUrl: signed.finalUrl,
});
