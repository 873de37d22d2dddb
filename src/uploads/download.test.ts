import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { Downloads } from './download.ts';

it('a download has only those headers of the storage that its reader needs', async () => {
  const needed = {
    'content-length': '1',
    'content-range': 'bytes 0-0/9',
    'content-encoding': 'gzip',
    'accept-ranges': 'bytes',
    etag: '"a"',
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
  };
  const others = { 'set-cookie': 'a=b', 'cache-control': 'public', 'access-control-allow-origin': '*' };
  const deps = {
    sign: async () => [{ url: 'https://storage.example', contentType: 'image/png' }],
    storage: {
      getObject: async () => ({ status: 206, headers: { ...needed, ...others }, body: Readable.from('x') }),
    },
  };
  const downloads = new Downloads(deps as never);
  const key = { filename: 'a.png', category: 'artwork' as const };
  const { headers } = await downloads.byCredentials({} as never, key, {}, AbortSignal.timeout(50_000));
  expect(headers).toEqual({
    ...needed,
    'content-type': 'image/png',
    'content-disposition': expect.stringMatching(/^inline; filename="a.png"/),
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
});
