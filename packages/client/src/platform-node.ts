import { createHash } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream as WebStream } from 'node:stream/web';
import { fileURLToPath } from 'node:url';
import type { Platform } from './platform.ts';

/** Sources of an upload in Node: a path, a `file:` address, a `Blob` or `File`, a stream. */
export type NodeSource = string | URL | Blob | AsyncIterable<Uint8Array>;

/** Node: files, streams and fetch. */
export const node: Platform<NodeSource> = {
  async open(source, signal) {
    if (source instanceof Blob)
      return { blob: source, filename: 'name' in source ? String(source.name) : undefined };
    if (typeof source === 'string' || source instanceof URL) {
      const path = source instanceof URL ? fileURLToPath(source) : source;
      // openAsBlob names neither the path that it cannot open nor the reason, and accepts a folder.
      if (!(await stat(path)).isFile()) throw new TypeError(`${path} is not a file.`);
      return { blob: await openAsBlob(path), filename: basename(path) };
    }
    // A stream can be read only once, so write it to a file, for the hash and each attempt.
    const folder = await mkdtemp(join(tmpdir(), 'srr-upload-'));
    const close = () => rm(folder, { recursive: true, force: true });
    try {
      const path = join(folder, 'bytes');
      await pipeline(Readable.from(source), createWriteStream(path), { signal });
      return { blob: await openAsBlob(path), close };
    } catch (error) {
      await close();
      throw error;
    }
  },
  sha256() {
    const hash = createHash('sha256');
    return { update: (bytes) => hash.update(bytes), hex: () => hash.digest('hex') };
  },
  reportsProgress: () => true,
  send({ method, url, headers, blob, onSent, signal, fetch }) {
    const init: RequestInit & { duplex: 'half' } = {
      method,
      // Storage requires the length, which fetch does not know for a stream.
      headers: { ...headers, 'content-length': String(blob.size) },
      // Node's type of a web stream differs from that of the DOM.
      body: WebStream.from(piecesOf(blob, onSent)) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>,
      duplex: 'half',
      signal,
    };
    return fetch(url, init);
  },
  way: 'signedUrl',
};

/** Small enough for a progress bar, and large enough to cost nothing. */
const pieceBytes = 256 * 1024;

/** Counts a piece when the next one is read: by then it has been sent. */
async function* piecesOf(blob: Blob, onSent: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += pieceBytes) {
    const piece = new Uint8Array(await blob.slice(at, at + pieceBytes).arrayBuffer());
    yield piece;
    onSent(at + piece.length);
  }
}
