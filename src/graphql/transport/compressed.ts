import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WholeAnswer } from '../execution/response-cache.ts';

const compress = promisify(gzip);

/** Smaller responses fit into one packet uncompressed. */
const minBytes = 1_400;

/** Whether a list of codings has gzip; `q=0` means no. */
const takesGzip = (accepted: string | undefined): boolean =>
  accepted !== undefined && /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?\s*(,|$)/i.test(accepted);

/**
 * The cached response in the coding that its reader accepts. It is compressed in the background, once, when
 * somebody first accepts gzip; until then it is sent uncompressed. Only responses to anonymous reads come
 * here: they hold no secret that their compressed length could reveal.
 */
export function inCodingFor(accepted: string | undefined, answer: WholeAnswer): WholeAnswer {
  if (answer.bytes < minBytes || !takesGzip(accepted)) return answer;
  answer.compressed ??= begin(answer);
  return answer.compressed === 'not yet' ? answer : answer.compressed;
}

function begin(answer: WholeAnswer): 'not yet' {
  compress(answer.body).then(
    (body) => {
      answer.compressed = { ...answer, headers: headersOf(answer, body), body, bytes: body.length };
    },
    // Go on sending it uncompressed.
    () => {},
  );
  return 'not yet';
}

function headersOf({ headers }: WholeAnswer, { length }: Buffer): string[] {
  const shown = ['content-encoding', 'gzip', 'content-length', String(length)];
  let vary = 'accept-encoding';
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string];
    if (name === 'vary') vary = `${value}, ${vary}`;
    else if (name !== 'content-length') shown.push(name, value);
  }
  return [...shown, 'vary', vary];
}
