import { base16 } from 'multiformats/bases/base16';
import { base36 } from 'multiformats/bases/base36';
import { CID } from 'multiformats/cid';
import { identity } from 'multiformats/hashes/identity';
import { expect, it } from 'vitest';
import { parseIpfsReference } from './reference.ts';

const v1 = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';
const v0 = 'QmPMc4tcBsMqLRuCQtPmPe84bpSjrC3Ky7t3JWuHXYB4aS';

it.each([
  [v1, v1, ''],
  [v0, v0, ''],
  [`ipfs://${v1}`, v1, ''],
  [`ipfs://${v1}/`, v1, ''],
  [`ipfs://ipfs/${v0}/meta/1.json`, v0, '/meta/1.json'],
  [`/ipfs/${v1}/a`, v1, '/a'],
  [`https://cdn.test/ipfs/${v1}`, v1, ''],
  [`https://cdn.test/some/base/ipfs/${v1}/a%20b.png?download=true#top`, v1, '/a%20b.png'],
  [`https://${v1}.ipfs.gateway.test/a.png`, v1, '/a.png'],
  [` ${v1}\n`, v1, ''],
  [`IPFS://${v0}/a.PNG`, v0, '/a.PNG'],
  [`Https://CDN.test/ipfs/${v0}`, v0, ''],
])('%s is a reference', (text, cid, path) => {
  expect(parseIpfsReference(text)).toMatchObject({ cid, path });
});

it.each([
  '',
  'ipfs://',
  'ipfs://not-a-cid',
  'https://example.test/picture.png',
  `https://example.test/IPFS/${v1}`,
  `https://example.test/?next=/ipfs/${v1}`,
  `javascript:/ipfs/${v1}`,
  `${v1.slice(0, -1)}!`,
  `0x${'ab'.repeat(32)}`,
  `ipfs://${v1}/../../admin`,
  `ipfs://${v1}/a/%2E./%2e%2e/b`,
  `ipfs://${v1}/a\\..\\b`,
  `ipfs://${v1}/a\u0000b`,
])('%j is not a reference', (text) => {
  expect(parseIpfsReference(text)).toBeUndefined();
});

it('a CID has the same key in every base', () => {
  const { key } = parseIpfsReference(v1) ?? {};
  const [hex, base36Text] = [base16, base36].map((base) => CID.parse(v1).toString(base)) as [string, string];
  for (const text of [hex, hex.toUpperCase(), v1.toUpperCase(), base36Text, base36Text.toUpperCase()])
    expect(parseIpfsReference(`ipfs://${text}/a`)).toEqual({ cid: text, key, path: '/a' });
});

it('a CID that embeds more than 300 bytes is not a reference', () => {
  const embedding = (bytes: number) => CID.createV1(0x55, identity.digest(new Uint8Array(bytes))).toString();
  expect(parseIpfsReference(embedding(300))).toMatchObject({ cid: embedding(300), path: '' });
  expect(parseIpfsReference(embedding(310))).toBeUndefined();
});

it.each([
  ['a long CID in base 58', `z${'2'.repeat(60_000)}`],
  ['a long CID in the path of a URL', `https://cdn.test/ipfs/z${'2'.repeat(60_000)}`],
  ['many places that look like a CID', `https://cdn.test${'/ipfs/a'.repeat(20_000)}?\n?`],
])('%s is parsed fast', (_what, text) => {
  const startedAt = performance.now();
  expect(parseIpfsReference(text)).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(200);
});
