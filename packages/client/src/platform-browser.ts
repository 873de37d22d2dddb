import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Platform } from './platform.ts';

/** Sources of an upload in a browser. */
export type BrowserSource = Blob | ReadableStream<Uint8Array<ArrayBuffer>>;

/** Reads a stream to its end. An abort also cancels it. */
const blobOf = (stream: ReadableStream<Uint8Array<ArrayBuffer>>, signal?: AbortSignal) =>
  new Response(stream.pipeThrough(new TransformStream(), signal ? { signal } : {})).blob();

/** Browsers: fetch, XMLHttpRequest for progress, Web Crypto. */
export const browser: Platform<BrowserSource> = {
  async open(source, signal) {
    // `input.files` is a list, not a file.
    if (!(source instanceof Blob) && typeof source.pipeThrough !== 'function')
      throw new TypeError('upload needs a File, a Blob or a ReadableStream.');
    // A stream could be read only once. A browser stores a large blob on disk.
    const blob = source instanceof Blob ? source : await blobOf(source, signal);
    return { blob, filename: 'name' in blob ? String(blob.name) : undefined };
  },
  sha256() {
    const hash = sha256.create();
    return { update: (bytes) => hash.update(bytes), hex: () => bytesToHex(hash.digest()) };
  },
  reportsProgress: () => typeof XMLHttpRequest !== 'undefined',
  send({ method, url, headers, blob, onSent, signal, fetch }) {
    if (!browser.reportsProgress()) return fetch(url, { method, headers, body: blob, signal });
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const stop = () => request.abort();
      request.open(method, url);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded }) => onSent(loaded);
      request.onload = () => {
        const lines = request
          .getAllResponseHeaders()
          .trim()
          .split(/[\r\n]+/);
        const pairs = lines.filter(Boolean).map((line): [string, string] => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon), line.slice(colon + 1).trim()];
        });
        // A Response with one of these statuses may have no body.
        const body = [204, 205, 304].includes(request.status) ? null : request.responseText;
        resolve(new Response(body, { status: request.status, headers: pairs }));
      };
      request.onerror = () => reject(new TypeError('The upload failed: the connection was lost or refused.'));
      request.onabort = () => reject(signal.reason);
      request.onloadend = () => signal.removeEventListener('abort', stop);
      signal.addEventListener('abort', stop, { once: true });
      // An abort before `send` fires no event.
      if (signal.aborted) reject(signal.reason);
      else request.send(blob);
    });
  },
  way: 'proxyUrl',
};
