import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Answer } from '../execution/response-cache.ts';

const compress = promisify(gzip);

/** Smaller answers fit into one packet as they are. */
const minBytes = 1_000;

/** Whether an answer is worth compressing for a reader that accepts these codings; `q=0` means no. */
export const acceptsGzip = (accepted: string | undefined, { bytes }: Answer): boolean =>
  bytes >= minBytes &&
  accepted !== undefined &&
  /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?\s*(,|$)/i.test(accepted);

/** The compressed body, made once for all who share the answer, off the event loop. */
export function gzipped(answer: Answer): Promise<Buffer> {
  answer.gzip ??= compress(answer.body);
  return answer.gzip;
}
