import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WholeAnswer } from './kept-answers.ts';

const compress = promisify(gzip);

/** Less fits into one packet as it is. */
const minBytes = 1_400;

/** A list of codings, where `q=0` is a no. */
const takesGzip = (accepted: string | undefined): boolean =>
  accepted !== undefined && /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?\s*(,|$)/i.test(accepted);

/**
 * The form of a kept answer that its reader takes. It is compressed beside the work, once, when it is first
 * wanted so: until then it goes out as it is. Only answers to anonymous reads come here, in which no secret
 * stands that its length could tell.
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
    // It goes out as it is.
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
