import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

// A map, because the server names the coding: an object also has names such as `constructor`.
const decoders = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/**
 * The bytes of a body that was compressed although the request forbade it, as some proxies do. Any other body is
 * returned as it is.
 * @throws Error `ERR_BUFFER_TOO_LARGE` beyond `maxBytes`, and others for what cannot be decompressed.
 */
export function decodeBody(body: Buffer, coding: string | undefined, maxBytes: number): Buffer {
  const decode = coding === undefined || body.length === 0 ? undefined : decoders.get(coding.toLowerCase());
  return decode ? decode(body, { maxOutputLength: maxBytes }) : body;
}
