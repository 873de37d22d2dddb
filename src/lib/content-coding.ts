import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Smaller answers fit into one packet uncompressed. */
const minBytes = 1_000;

const compressors = {
  /** At this quality it takes less time than gzip, and its result is smaller. */
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  /** A tenth longer than at the default level, in half the time. */
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 4 }),
};

export type ContentCoding = keyof typeof compressors;

/** Compresses in a thread, off the event loop. */
export const compress = (coding: ContentCoding, body: Buffer): Promise<Buffer> => compressors[coding](body);

/** The coding that an `Accept-Encoding` header prefers; undefined: none of ours. */
export function acceptedCoding(header: string | undefined): ContentCoding | undefined {
  if (!header) return undefined;
  const weights = new Map(
    header
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [name = '', ...parameters] = one.split(';').map((part) => part.trim());
        const q = parameters.find((part) => part.startsWith('q='));
        return [name, q === undefined ? 1 : Number(q.slice(2))];
      }),
  );
  const [br, gzipped] = [weights.get('br') ?? 0, weights.get('gzip') ?? 0];
  if (br > 0 && br >= gzipped) return 'br';
  return gzipped > 0 ? 'gzip' : undefined;
}

/** Texts, but no event stream: its events would be held back. */
const text = /^(text\/(?!event-stream)|application\/([\w.+-]+\+)?json\b|application\/javascript\b)/;

/** Whether a whole answer of this type and length is worth it. */
export const isCompressible = (type: string, bytes: number): boolean => bytes >= minBytes && text.test(type);
