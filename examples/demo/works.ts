import { join, parse } from 'node:path';
import type { Client, FileCategory, NodeSource, Way } from '@srr-gateway/client';

/** Three works: for the issuer's own wallet, for a buyer, and for the collection; each uploaded another way. */
export function planWorks(artists: string[], buyer: string, address: string, run: string) {
  const ways: Way[] = ['signedUrl', 'proxyUrl', 'uploadFile'];
  return ['Harbour at Dusk', 'Glass Orchard', 'Slow Current'].map((name, i) => ({
    externalId: `demo-${run}-${i + 1}`,
    // The same content by the same artist is issued only once, so the title carries the run.
    title: `${name} (${run})`,
    picture: `${name.toLowerCase().replaceAll(' ', '-')}.jpg`,
    ...{ way: ways[i] as Way, royaltyRate: 10 + i * 2.5, artist: artists[i % artists.length] ?? '' },
    ...{ to: i === 1 ? buyer : undefined, collection: i === 2 ? { address } : undefined },
  }));
}
export type Work = ReturnType<typeof planWorks>[number];

/** Uploads the work's files and returns its entry for `issueSRRs`. */
export async function prepareEntry(client: Client<NodeSource>, work: Work) {
  const { externalId, title: name, royaltyRate, artist: artistAddress, to, way: via } = work;
  const send = async (file: string, category: FileCategory = 'NON_ATTACHMENT_FILE') => {
    // A name takes one content for ever, so it carries the run.
    const filename = `${parse(file).name}-${category.toLowerCase()}-${externalId}${parse(file).ext}`;
    const path = join(import.meta.dirname, '../files', file);
    return { upload: (await client.upload(path, { filename, category, via })).id };
  };
  const files = ['certificate.pdf', 'authenticity-mark.png', 'installation-note.txt'];
  const categories: FileCategory[] = ['ARTWORK', 'CERTIFICATE', 'FOR_AUTHENTICITY', 'INSTALLATION'];
  const attachments = [];
  for (const [i, file] of [work.picture, ...files].entries()) {
    const category = categories[i] as FileCategory;
    attachments.push({ name: file, category, file: await send(file, category) });
  }
  const image = await send(work.picture);
  const contractTerms = { royaltyRate, file: await send('contract-terms.pdf') };
  const words = { name, title: { en: name }, medium: { en: 'Drawing' }, yearOfCreation: { en: '2026' } };
  const terms = { artistAddress, isPrimaryIssuer: true, lockExternalTransfer: false, to };
  const metadata = { ...words, thumbnail: image, image, contractTerms };
  return { externalId, ...terms, collectionAddress: work.collection?.address, attachments, metadata };
}
