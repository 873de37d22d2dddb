import { openAsBlob } from 'node:fs';
import type { FileRefInput, UploadStatus } from '@srr-gateway/client';
import { isRefusal } from '../lib/exit-codes.ts';
import type { GatewayClient } from '../lib/session.ts';
import { filesOf } from '../manifest/draft.ts';
import type { LocalFile } from '../manifest/local-file.ts';
import type { Batch, FileRefs } from './batch.ts';

/** Concurrent uploads: enough to hide the round trips, few enough for a slow line. */
export const uploadsAtOnce = 8;

/** Files announced in one call: those of a batch of 250 records with two each. */
const announcedAtOnce = 500;

/** Larger files are left to the client, which watches whether a transfer moves. */
const smallBytes = 8_000_000;
const smallTimeoutMs = 60_000;

const createUploads = `mutation AnnounceFiles($input: CreateUploadsInput!) {
  createUploads(input: $input) { uploads { id status signedUrl contentType } userErrors { code } }
}`;

interface Place {
  id: string;
  status: UploadStatus;
  signedUrl: string;
  contentType: string;
}

/** The service refuses a file, or the file has changed. */
export class FileRefusedError extends Error {
  readonly file: LocalFile;
  readonly code: string;

  constructor(file: LocalFile, { code, message }: { code: string; message: string }) {
    super(`${file.path}: ${message}`);
    this.file = file;
    this.code = code;
  }
}

/** The batch's requestId has the hash of the old content. */
const changed = {
  code: 'CONTENT_MISMATCH',
  message: 'The file was changed or removed after its hash was taken. Run the same command again.',
};

/** Uploads files, each once however many records name it. */
export class FileUploads {
  readonly #client: GatewayClient;
  readonly #signal: AbortSignal;
  readonly #onUploaded: (files: number) => void;
  readonly #refs = new Map<string, FileRefInput>();

  constructor(client: GatewayClient, signal: AbortSignal, onUploaded: (files: number) => void) {
    this.#client = client;
    this.#signal = signal;
    this.#onUploaded = onUploaded;
  }

  async of(batch: Batch): Promise<FileRefs> {
    const files = filesOf(batch).filter(({ key }) => !this.#refs.has(key));
    for (let from = 0; from < files.length; from += announcedAtOnce) {
      const some = files.slice(from, from + announcedAtOnce);
      const places = await this.#announce(some);
      await eachOf([...some.entries()], uploadsAtOnce, async ([i, file]) => {
        this.#refs.set(file.key, { upload: await this.#bring(file, places[i]) });
        this.#onUploaded(this.#refs.size);
      });
    }
    return this.#refs;
  }

  /**
   * Announces all hashes in one call, which finds known content. One call for each would take as long as sending the
   * bytes.
   */
  async #announce(files: readonly LocalFile[]): Promise<readonly Place[]> {
    const specs = files.map(async (file) => ({
      filename: await file.filename(),
      category: file.category,
      sha256: await file.sha256,
      size: String(file.size),
    }));
    const { data } = await this.#client.mutate<{
      createUploads: { uploads: Place[]; userErrors: unknown[] };
    }>(createUploads, { input: { files: await Promise.all(specs) } }, { repeat: true, signal: this.#signal });
    // One refused file refuses the whole call. Announced alone, each gets its own fault.
    return data.createUploads.userErrors.length > 0 ? [] : data.createUploads.uploads;
  }

  async #bring(file: LocalFile, place: Place | undefined): Promise<string> {
    // The name has a part of the hash, so its content is this file, even while the hash is being calculated.
    if (place?.status === 'READY' || place?.status === 'CALCULATING') return place.id;
    if (place?.status === 'AWAITING_BYTES' && (await this.#put(file, place))) return place.id;
    if (file.hasChanged) throw new FileRefusedError(file, changed);
    const options = { filename: await file.filename(), category: file.category, signal: this.#signal };
    try {
      return (await this.#client.upload(file.path, options)).id;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (file.hasChanged) throw new FileRefusedError(file, changed);
      throw isRefusal(error) ? new FileRefusedError(file, error) : error;
    }
  }

  /** Sends a file directly to storage. The client, which knows the other ways, handles failures. */
  async #put(file: LocalFile, { signedUrl, contentType }: Place): Promise<boolean> {
    try {
      const body = await openAsBlob(file.path);
      if (body.size > smallBytes || file.hasChanged) return false;
      const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(smallTimeoutMs)]);
      const headers = { 'content-type': contentType };
      const response = await fetch(signedUrl, { method: 'PUT', headers, body, signal });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      this.#signal.throwIfAborted();
      return false;
    }
  }
}

/** Runs the work for each item, with limited concurrency. The first failure ends it. */
export async function eachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of rest) {
      if (failed) return;
      await work(item).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
