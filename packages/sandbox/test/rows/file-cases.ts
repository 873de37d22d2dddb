import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Bench } from './bench.ts';
import type { Cases } from './cases.ts';

const categoryRule = (index: number) =>
  `payload.${index}.category must be one of the following values: certificate,for_authenticity,artwork,installation,non_attachment_file`;

async function put(url: string, contentType: string, body: string): Promise<[number, string | undefined]> {
  const response = await fetch(url, { method: 'PUT', headers: { 'content-type': contentType }, body });
  return [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]];
}

async function get(url: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const response = await fetch(url, { headers });
  return [response.status, await response.text()];
}

const one = (filename: string, category = 'artwork') => ({ payload: [{ filename, category }] });

export const fileCases: Cases['File'] = {
  filename: async (at) => {
    for (const endpoint of ['signedUrls', 'fileMetadata']) {
      await at.refuses(endpoint, { action: 'write', ...one('picture') }, ['extension is missing']);
      await at.refuses(endpoint, { action: 'write', ...one('a b.png') }, ['space is not allowed']);
    }
    await at.issuer.upload('unique.png', 'artwork', 'first');
    const again = await at.issuer.sign('unique.png', 'certificate');
    expect(await put(again.url, again.contentType, 'second')).toEqual([412, 'PreconditionFailed']);
    await at.other.upload('unique.png', 'artwork', 'theirs');
  },
  category: async (at) => {
    for (const endpoint of ['signedUrls', 'fileMetadata'])
      await at.refuses(endpoint, { action: 'read', ...one('a.png', 'painting') }, [categoryRule(0)]);
  },
  url: async (at) => {
    const { url, contentType } = await at.issuer.sign('late.png', 'artwork');
    await at.turn({ clockOffsetMs: 15 * 60_000 + 1_000 });
    expect(await put(url, contentType, 'x')).toEqual([403, 'ExpiredToken']);
    await at.turn({ clockOffsetMs: 0 });
    expect(await put(url, contentType, 'x')).toEqual([200, undefined]);
  },
  finalUrl: async (at) => {
    // Before the upload, after it, and by either action.
    const { finalUrl } = await at.issuer.sign('permanent.png', 'artwork');
    expect(await at.issuer.upload('permanent.png', 'artwork', 'for good')).toBe(finalUrl);
    expect((await at.issuer.sign('permanent.png', 'artwork', 'read')).finalUrl).toBe(finalUrl);
    expect(await get(finalUrl)).toEqual([200, 'for good']);
  },
  contentType: async (at) => {
    const { url, contentType } = await at.issuer.sign('typed.png', 'certificate');
    expect(contentType).toBe('image/png');
    expect(await put(url, 'image/jpeg', 'x')).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await put(url, contentType, 'x')).toEqual([200, undefined]);
    const reading = await at.issuer.sign('typed.png', 'certificate', 'read');
    expect((await get(reading.url, { 'content-type': 'image/jpeg' }))[0]).toBe(403);
    expect(await get(reading.url, { 'content-type': contentType })).toEqual([200, 'x']);
  },
  hash: async (at) => {
    const { hash } = await at.issuer.uploadReady('hashed.txt', 'artwork', 'hello world');
    expect(hash).toBe(`sha256-${createHash('sha256').update('hello world').digest('hex')}`);
  },
  cid: async (at) => {
    const first = await at.issuer.uploadReady('cid.txt', 'artwork', 'hello world');
    const twin = await at.issuer.uploadReady('twin.txt', 'installation', 'hello world');
    expect(first.cid).toBe('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e');
    expect(twin.cid).toBe(first.cid);
  },
  size: async (at) => {
    const { size } = await at.issuer.uploadReady('size.txt', 'artwork', '港');
    expect(size).toBe(3);
  },
  message: async (at) => {
    await at.unready('artwork', (_, filename) =>
      at.shows('fileMetadata', one(filename), 200, {
        results: [{ filename, message: 'HASH_STILL_IN_CALCULATION' }],
      }),
    );
    const { finalUrl: _, ...known } = at.files.artwork;
    expect(Object.keys(known)).toEqual(['filename', 'hash', 'cid', 'size']);
  },
};

/** Checks a category's bucket, and which of the two roles its files may have. */
async function roles(
  at: Bench,
  category: keyof Bench['files'],
  allowed: { public: boolean; attachment: boolean },
): Promise<void> {
  const { finalUrl, hash } = at.files[category];
  expect((await get(finalUrl))[0]).toBe(allowed.public ? 200 : 403);
  expect(new URL(finalUrl).pathname).toBe(
    `${allowed.public ? '/static' : '/storage/private'}/${at.issuer.address}/${category}/ready-${category}.png`,
  );
  const inMetadata = at.entry({
    externalId: `in-metadata-${category}`,
    metadata: at.metadata({ image: finalUrl, thumbnailURL: finalUrl, contractTerms: { fileURL: finalUrl } }),
  });
  if (allowed.public) await at.issue(inMetadata);
  else {
    const places = ['thumbnailURL', 'image', 'contractTerms.fileURL'].map(
      (field) => `[in-metadata-${category}] ${field}: ${finalUrl}`,
    );
    await at.refusesEntries(
      [inMetadata],
      `Metadata file URLs (thumbnailURL, image, contractTerms.fileURL) must be publicly accessible (category non_attachment_file or artwork). ${places.join(', ')}`,
    );
  }
  const attached = at.entry({ attachmentFiles: [{ name: 'a.png', category, url: finalUrl }] });
  if (!allowed.attachment)
    return at.refusesEntries(
      [attached],
      [
        'payload.0.attachmentFiles.0.category must be one of the following values: certificate,for_authenticity,artwork,installation',
      ],
    );
  const metadata = await at.issueAndRead(attached);
  const folded = [{ category, hash }];
  expect([metadata.digitalComponents, metadata.attachmentFiles]).toEqual(
    category === 'artwork' ? [folded, undefined] : [undefined, folded],
  );
}

export const categoryCases: Cases['File category'] = {
  non_attachment_file: (at) => roles(at, 'non_attachment_file', { public: true, attachment: false }),
  artwork: (at) => roles(at, 'artwork', { public: true, attachment: true }),
  certificate: (at) => roles(at, 'certificate', { public: false, attachment: true }),
  for_authenticity: (at) => roles(at, 'for_authenticity', { public: false, attachment: true }),
  installation: (at) => roles(at, 'installation', { public: false, attachment: true }),
};

export const fileStateCases: Cases['File state'] = {
  'uploaded and not ready': (at) =>
    at.unready('artwork', async (finalUrl, filename) => {
      await at.shows('fileMetadata', one(filename), 200, {
        results: [{ filename, message: 'HASH_STILL_IN_CALCULATION' }],
      });
      const entry = at.entry({ externalId: 'early', metadata: at.metadata({ image: finalUrl }) });
      await at.refusesEntries(
        [entry],
        `Metadata file(s) not ready for IPFS publication (CID still being calculated). [early] image: ${finalUrl}`,
      );
    }),
  'ready after the calculation': async (at) => {
    const { hash, cid } = await at.issuer.uploadReady('becomes-ready.txt', 'artwork', 'hello world');
    await at.shows('fileMetadata', one('becomes-ready.txt'), 200, {
      results: [{ filename: 'becomes-ready.txt', hash, cid, size: 11 }],
    });
  },
};

export const signedUrlsCases: Cases['signedUrls field'] = {
  action: async (at) => {
    const allowed = ['action must be one of the following values: write,read'];
    for (const action of [undefined, 'delete', 5])
      await at.refuses('signedUrls', { action, ...one('a.png') }, allowed);
    const { url, contentType } = await at.issuer.sign('action.png', 'installation');
    expect(await put(url, contentType, 'written')).toEqual([200, undefined]);
    const reading = await at.issuer.sign('action.png', 'installation', 'read');
    expect(await put(reading.url, contentType, 'x')).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await get(reading.url, { 'content-type': contentType })).toEqual([200, 'written']);
  },
  payload: async (at) => {
    await at.refuses('signedUrls', { action: 'write' }, ['payload must be an array']);
    await at.shows('signedUrls', { action: 'write', payload: [] }, 201, { results: [] });
  },
  filename: async (at) => {
    const body = { action: 'write', payload: [{ filename: 'a b', category: 'artwork' }] };
    await at.refuses('signedUrls', body, ['extension is missing', 'space is not allowed']);
    await at.refuses('signedUrls', { action: 'write', payload: [{ category: 'artwork' }] }, [
      'payload.0.filename must be a string',
      'payload.0.filename should not be empty',
    ]);
  },
  category: (at) =>
    at.refuses('signedUrls', { action: 'write', payload: [{ filename: 'a.png' }] }, [categoryRule(0)]),
};
