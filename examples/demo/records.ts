import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, FileCategory, NodeSource, Way } from '@srr-gateway/client';

/** Three works: for the issuer's own wallet, for a buyer, and for the collection. Each is uploaded in another way. */
export const planWorks = (artist: string, buyer: string, collection: string) => [
  { name: 'Harbour at Dusk', via: 'signedUrl' as Way, royaltyRate: 10, artist },
  { name: 'Glass Orchard', via: 'proxyUrl' as Way, royaltyRate: 12.5, artist, to: buyer },
  { name: 'Slow Current', via: 'uploadFile' as Way, royaltyRate: 15, artist, collection },
];
type Work = ReturnType<typeof planWorks>[number];

/** Uploads the work's files and returns its entry for `issueSRRs`. */
export async function prepareEntry(client: Client<NodeSource>, run: string, work: Work) {
  const { name, via, royaltyRate, artist: artistAddress, to, collection: collectionAddress } = work;
  const picture = `${name.toLowerCase().replaceAll(' ', '-')}.jpg`;
  const send = async (file: string, category: FileCategory = 'NON_ATTACHMENT_FILE') => {
    // A name belongs to one content in one category for ever, so it contains the run and the category.
    const options = { filename: `${run}-${via}-${category}-${file}`, category, via };
    return { upload: (await client.upload(join(import.meta.dirname, '../files', file), options)).id };
  };
  const files = [picture, 'certificate.pdf', 'authenticity-mark.png', 'installation-note.txt'];
  const categories = ['ARTWORK', 'CERTIFICATE', 'FOR_AUTHENTICITY', 'INSTALLATION'] as const;
  const attachments = [];
  for (const [i, category] of categories.entries())
    attachments.push({ name: `${files[i]}`, category, file: await send(`${files[i]}`, category) });
  const image = await send(picture);
  const contractTerms = { royaltyRate, file: await send('contract-terms.pdf') };
  // The same content by the same artist is issued only once, so the title carries the run.
  const texts = { name, title: { en: `${name} (${run})` }, medium: { en: 'Drawing' } };
  const metadata = { ...texts, yearOfCreation: { en: '2026' }, thumbnail: image, image, contractTerms };
  const terms = { artistAddress, to, collectionAddress, isPrimaryIssuer: true, lockExternalTransfer: false };
  return { externalId: `demo-${run}-${picture}`, ...terms, attachments, metadata };
}

/** The response, without generated types; packages/client/codegen.ts shows how to generate them. */
type Tree = { [field: string]: Tree | undefined };

/** One request joins the issuance, the subgraph and the metadata on IPFS. */
const joined = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on SRR {
  issuance { externalId } tokenId metadataUrl owner issuer { address } artist { address } collection { address }
  royalty { percent } metadataStatus
  metadata { name title { text(languages: ["en"]) } image { url } attachmentFiles { category } } } } }`;

/** Reads the records back, prints them, and fails when one differs from its order. */
export async function show(client: Client<NodeSource>, ids: string[], works: Work[], issuer: string) {
  const ordered = works.map(({ to = issuer, artist, collection, royaltyRate, name }) =>
    [to, issuer, artist, collection, royaltyRate, 'VERIFIED', name, 3, 'image'].join(),
  );
  // The content appears on IPFS with a delay, and a restart takes seconds; half a minute is ample.
  for (const giveUpAt = Date.now() + 30_000; ; await sleep(500)) {
    const { data } = await client.query<{ nodes: Tree[] }>(joined, { ids });
    const seen = data.nodes.map(async ({ owner, issuer, artist, collection, metadata, ...srr }) => {
      const chain = [owner, issuer?.address, artist?.address, collection?.address, srr.royalty?.percent];
      const { name, attachmentFiles: files, image } = metadata ?? {};
      // Check that a page could show the picture.
      const picture = await fetch(String(image?.url), { method: 'HEAD' }).catch(() => undefined);
      const type = picture?.headers.get('content-type')?.split('/')[0];
      return [...chain, srr.metadataStatus, name, files?.length, type].join();
    });
    // Addresses may differ in letter case.
    const asOrdered = `${await Promise.all(seen)}`.toLowerCase() === `${ordered}`.toLowerCase();
    if (!asOrdered && Date.now() < giveUpAt) continue;
    console.dir(data.nodes, { depth: null });
    if (asOrdered) return;
    throw new Error(`That is not as ordered: ${ordered.join(' and ')}`);
  }
}
