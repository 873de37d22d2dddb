import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Db } from '../store/tables.ts';

/** The document says that a signed URL is valid for 15 minutes. */
const validForMs = 15 * 60_000;

/**
 * The parts of a request that a signature covers. For downloads too it covers the Content-Type, as the document says.
 */
interface SignedRequest {
  method: 'PUT' | 'GET';
  /** Percent-encoded, as in the URL. */
  path: string;
  contentType: string;
}

export type Verdict = 'valid' | 'absent' | 'mismatch' | 'expired';

/** Signs and verifies storage requests with one key, which survives restarts. */
export class Signatures {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /** Uses the key of this database, which is generated at first use. */
  static async open(db: Db): Promise<Signatures> {
    const name = 'signed-urls';
    await db
      .insertInto('secret')
      .values({ name, value: randomBytes(32).toString('base64') })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const { value } = await db
      .selectFrom('secret')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return new Signatures(Buffer.from(value, 'base64'));
  }

  /** The query that authorizes `request` until `validForMs` after `now`, in whole seconds. */
  query(request: SignedRequest, now: number): string {
    const expires = Math.ceil((now + validForMs) / 1000);
    return new URLSearchParams({ Expires: `${expires}`, Signature: this.#sign(request, expires) }).toString();
  }

  /** `now` in ms. A wrong signature is a `mismatch`, even when it has expired. */
  verify(request: SignedRequest, query: URLSearchParams, now: number): Verdict {
    const signature = query.get('Signature');
    const expires = query.get('Expires');
    if (signature === null || expires === null) return 'absent';
    const expected = Buffer.from(this.#sign(request, Number(expires)));
    const actual = Buffer.from(signature);
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'mismatch';
    return now < Number(expires) * 1000 ? 'valid' : 'expired';
  }

  #sign({ method, path, contentType }: SignedRequest, expires: number): string {
    return createHmac('sha256', this.#key)
      .update([method, path, contentType, expires].join('\n'))
      .digest('hex');
  }
}
