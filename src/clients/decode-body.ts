import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

// A Map, because the server chooses the name: an object also has properties such as `constructor`.
const decoders = new Map<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/**
 * Decompresses a body that was compressed although the request forbade it, as some proxies do. Returns any other body
 * unchanged.
 * @throws Error `ERR_BUFFER_TOO_LARGE` beyond `maxBytes`, and others for what cannot be decompressed.
 */
export function decodeBody(body: Buffer, coding: string | undefined, maxBytes: number): Buffer {
  const decode = coding === undefined || body.length === 0 ? undefined : decoders.get(coding.toLowerCase());
  return decode ? decode(body, { maxOutputLength: maxBytes }) : body;
}

/** The body as it was sent if it cannot be decompressed. @throws Error `ERR_BUFFER_TOO_LARGE` beyond `maxBytes`. */
export function decodeIfPossible(body: Buffer, coding: string | undefined, maxBytes: number): Buffer {
  try {
    return decodeBody(body, coding, maxBytes);
  } catch (error) {
    if (isTooLarge(error)) throw error;
    return body;
  }
}

export const isTooLarge = (error: unknown): boolean =>
  (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
