import { describe, expect, it } from 'vitest';
import { filePath, finalUrl, parseFinalUrl, parseProvisionedUrl, provisionedUrl } from './file-location.ts';

const origin = 'http://127.0.0.1:4001';
const issuer = '0x2f7F932D30E46702EE02a4f5F4D8Ef045a368A70';

describe('a finalUrl', () => {
  it.each([
    { issuer, category: 'artwork', filename: 'a.png' },
    { issuer, category: 'certificate', filename: 'ä/b?c#d%2F.pdf' },
  ] as const)('names its file for good: $category $filename', (location) => {
    const url = finalUrl(origin, location);
    expect(new URL(url).href).toBe(url);
    expect(parseFinalUrl(origin, url)).toEqual(location);
  });

  it('of a public category is on the static host, of a private one at its object', () => {
    expect(finalUrl(origin, { issuer, category: 'artwork', filename: 'a.png' })).toBe(
      `${origin}/static/${issuer}/artwork/a.png`,
    );
    expect(finalUrl(origin, { issuer, category: 'installation', filename: 'a.png' })).toBe(
      `${origin}/storage/private/${issuer}/installation/a.png`,
    );
    expect(filePath({ issuer, category: 'artwork', filename: 'a b' })).toBe(`${issuer}/artwork/a b`);
  });

  it.each([
    `https://elsewhere.test/static/${issuer}/artwork/a.png`,
    `${origin}.elsewhere.test/static/${issuer}/artwork/a.png`,
    `${origin}/static/${issuer}/artwork/a.png?Signature=1`,
    `${origin}/static/${issuer}/artwork/a.png#part`,
    `${origin}/static/${issuer}/artwork/b/a.png`,
    `${origin}/static/${issuer}/artwork/%ff.png`,
    `${origin}/static/${issuer}/artwork/%00.png`,
    `${origin}/static/${issuer}/certificate/a.png`,
    `${origin}/storage/public/${issuer}/certificate/a.png`,
    `${origin}/static/${issuer}/unknown/a.png`,
    `${origin}/static/0x12/artwork/a.png`,
    origin,
    '',
  ])('is not %s', (url) => {
    expect(parseFinalUrl(origin, url)).toBeUndefined();
  });
});

describe('the address of a provisioned file', () => {
  const id = '6d0f8b0e-3c5e-4c57-9d7a-0a5f0f7f1c11';
  const url = provisionedUrl(origin, id);

  it('names its file, and is not a finalUrl', () => {
    expect(parseProvisionedUrl(origin, url)).toBe(id);
    expect(parseFinalUrl(origin, url)).toBeUndefined();
  });

  it.each([
    `${url}?Signature=1`,
    `${url}/`,
    url.slice(0, -1),
    `https://elsewhere.test/storage/provisioned/${id}`,
    `${origin}/static/${issuer}/artwork/${id}`,
    id,
    '',
  ])('is not %s', (text) => {
    expect(parseProvisionedUrl(origin, text)).toBeUndefined();
  });
});
