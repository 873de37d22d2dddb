import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { WholeAnswer } from '../execution/response-cache.ts';
import { inCodingFor } from './compressed.ts';

const body = JSON.stringify({ data: 'é'.repeat(5_000) });
const answer = (text = body): WholeAnswer => ({
  status: 200,
  statusText: 'OK',
  headers: [
    'content-type',
    'application/json',
    'content-length',
    String(Buffer.byteLength(text)),
    'vary',
    'x',
  ],
  body: text,
  bytes: Buffer.byteLength(text),
});

describe('an answer from memory', () => {
  it('goes out as it is until it is compressed, and then compressed to who takes that', async () => {
    const kept = answer();
    expect(inCodingFor('gzip', kept)).toBe(kept);
    await expect.poll(() => inCodingFor('br, gzip;q=0.5', kept)).not.toBe(kept);
    const { headers, body: bytes, status } = inCodingFor('gzip', kept);
    expect(gunzipSync(bytes as Buffer).toString()).toBe(body);
    expect(status).toBe(200);
    expect(headers.toSorted()).toEqual(
      [
        ...['content-encoding', 'gzip', 'content-length', String(bytes.length)],
        ...['content-type', 'application/json', 'vary', 'x, accept-encoding'],
      ].toSorted(),
    );
    expect(inCodingFor(undefined, kept)).toBe(kept);
  });

  it.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'br, gzip; q=0.0', 'xgzip', 'gzipped'])(
    'is never compressed for who takes %s',
    async (accepted) => {
      const kept = answer();
      inCodingFor('gzip', kept);
      await expect.poll(() => inCodingFor('gzip', kept)).not.toBe(kept);
      expect(inCodingFor(accepted, kept)).toBe(kept);
    },
  );

  it('is left as it is when it is small', () => {
    const small = answer('{"data":{}}');
    expect(inCodingFor('gzip', small)).toBe(small);
    expect(small.compressed).toBeUndefined();
  });
});
