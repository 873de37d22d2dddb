import { join, parse } from 'node:path';
import type { Client, FileCategory, NodeSource, Way } from '@srr-gateway/client';

/** Three works: for the issuer's own wallet, for a buyer, and for the collection; each uploaded another way. */
export const planWorks = (artists: string[], buyer: string, address: string, run: string) =>
  ['Harbour at Dusk', 'Glass Orchard', 'Slow Current'].map((name, i) => ({
    externalId: `demo-${run}-${i + 1}`,
    // The same content by the same artist is issued only once, so the title carries the run.
    title: `${name} (${run})`,
    picture: `${name.toLowerCase().replaceAll(' ', '-')}.jpg`,
    way: (['signedUrl', 'proxyUrl', 'uploadFile'] as Way[])[i],
    royaltyRate: 10 + i * 2.5,
    artist: artists[i % artists.length] as string,
    to: i === 1 ? buyer : undefined,
    collection: i === 2 ? { address } : undefined,
  }));
export type Work = ReturnType<typeof planWorks>[number];

/** Uploads the work's files and returns its entry for `issueSRRs`. */
export async function prepareEntry(client: Client<NodeSource>, work: Work) {
  const { externalId, title: name, picture, way: via, royaltyRate, artist: artistAddress, to } = work;
  const send = async (file: string, category: FileCategory = 'NON_ATTACHMENT_FILE') => {
    // A name takes one content for ever, so it carries the run.
    const filename = `${parse(file).name}-${category.toLowerCase()}-${externalId}${parse(file).ext}`;
    const path = join(import.meta.dirname, '../files', file);
    return { upload: (await client.upload(path, { filename, category, via })).id };
  };
  const files = [picture, 'certificate.pdf', 'authenticity-mark.png', 'installation-note.txt'];
  const categories = ['ARTWORK', 'CERTIFICATE', 'FOR_AUTHENTICITY', 'INSTALLATION'] as const;
  const attachments = [];
  for (const [i, category] of categories.entries())
    attachments.push({ name: `${files[i]}`, category, file: await send(`${files[i]}`, category) });
  const image = await send(picture);
  const contractTerms = { royaltyRate, file: await send('contract-terms.pdf') };
  const texts = { name, title: { en: name }, medium: { en: 'Drawing' }, yearOfCreation: { en: '2026' } };
  const metadata = { ...texts, thumbnail: image, image, contractTerms };
  const terms = { artistAddress, to, isPrimaryIssuer: true, lockExternalTransfer: false };
  return { externalId, ...terms, collectionAddress: work.collection?.address, attachments, metadata };
}
