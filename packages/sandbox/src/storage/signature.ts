import { createHmac, timingSafeEqual } from 'node:crypto';

/** The document: valid 15 minutes after creation. */
export const validForMs = 15 * 60_000;

/** What a signature is bound to. Downloads are bound to the Content-Type too, as the document says. */
export interface SignedRequest {
  method: 'PUT' | 'GET';
  /** As it stands in the URL, percent-encoded. */
  path: string;
  contentType: string;
}

export type Verdict = 'valid' | 'absent' | 'mismatch' | 'expired';

/** Signs and checks storage requests with one key that outlives restarts. */
export class Signatures {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** The query that authorizes `request` until `validForMs` after `now`. */
  query(request: SignedRequest, now: number): string {
    const expires = Math.floor((now + validForMs) / 1000);
    return new URLSearchParams({ Expires: `${expires}`, Signature: this.#sign(request, expires) }).toString();
  }

  verify(request: SignedRequest, query: URLSearchParams, now: number): Verdict {
    const signature = query.get('Signature');
    const expires = query.get('Expires');
    if (signature === null || expires === null) return 'absent';
    const expected = Buffer.from(this.#sign(request, Number(expires)));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'mismatch';
    return now < Number(expires) * 1000 ? 'valid' : 'expired';
  }

  #sign({ method, path, contentType }: SignedRequest, expires: number): string {
    return createHmac('sha256', this.#key)
      .update([method, path, contentType, expires].join('\n'))
      .digest('hex');
  }
}
