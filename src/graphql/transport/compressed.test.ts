import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../execution/response-cache.ts';
import { acceptsGzip, gzipped } from './compressed.ts';

const answer = (text = JSON.stringify({ data: 'é'.repeat(5_000) })): Answer => ({
  body: Buffer.from(text),
  bytes: Buffer.byteLength(text),
  personal: false,
  settled: true,
});

describe('an answer', () => {
  it('is compressed once for all who take that', async () => {
    const long = answer();
    expect(acceptsGzip('br, gzip;q=0.5', long)).toBe(true);
    const [one, other] = await Promise.all([gzipped(long), gzipped(long)]);
    expect(one).toBe(other);
    expect(gunzipSync(one)).toEqual(long.body);
  });

  it.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'br, gzip; q=0.0', 'xgzip', 'gzipped'])(
    'is never compressed for who takes %s',
    (accepted) => {
      expect(acceptsGzip(accepted, answer())).toBe(false);
    },
  );

  it('is left as it is when it is small', () => {
    expect(acceptsGzip('gzip', answer('{"data":{}}'))).toBe(false);
  });
});
