import { createHash } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Platform } from './platform.ts';

/** What Node can upload: a path, a `file:` address, a `Blob` or `File`, a stream. */
export type NodeSource = string | URL | Blob | AsyncIterable<Uint8Array>;

export const node: Platform<NodeSource> = {
  async open(source) {
    if (source instanceof Blob)
      return { blob: source, filename: 'name' in source ? String(source.name) : undefined };
    if (typeof source === 'string' || source instanceof URL) {
      const path = source instanceof URL ? fileURLToPath(source) : source;
      return { blob: await openAsBlob(path), filename: basename(path) };
    }
    // A stream can be read once: its bytes are kept for the hash and for each attempt.
    const folder = await mkdtemp(join(tmpdir(), 'srr-upload-'));
    const close = () => rm(folder, { recursive: true, force: true });
    try {
      const path = join(folder, 'bytes');
      await pipeline(Readable.from(source), createWriteStream(path));
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
  put({ url, headers, blob, onSent, signal, fetch }) {
    let sent = 0;
    const counted = blob.stream().pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          sent += piece.length;
          onSent(sent);
          controller.enqueue(piece);
        },
      }),
    );
    const init: RequestInit & { duplex: 'half' } = {
      method: 'PUT',
      // Storage refuses a body without its length, and fetch does not know that of a stream.
      headers: { ...headers, 'content-length': String(blob.size) },
      body: counted,
      duplex: 'half',
      signal,
    };
    return fetch(url, init);
  },
  way: 'signedUrl',
};
