import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, NodeSource } from '@srr-gateway/client';
import type { Work } from './works.ts';

/** A response of which no types were generated; packages/client/codegen.ts generates them. */
export interface Tree {
  [field: string]: Tree | undefined;
}

/** One request joins the issuance, the subgraph and the metadata on IPFS. */
const joined = `query ($id: ID!) { issuance(id: $id) { entries { edges { node { srr {
  tokenId metadataUrl owner issuer { address } artist { address } collection { address } royalty { percent }
  metadataStatus metadata { title { text(languages: ["en"]) } image { url } attachmentFiles { category } } } } } } } }`;

/** Reads the records back, prints them, and fails when one is not as it was ordered. */
export async function show(client: Client<NodeSource>, id: string, works: Work[], issuer: string) {
  const ordered = works.map(({ to = issuer, artist, collection, royaltyRate, title }) =>
    [to, issuer, artist, collection?.address, royaltyRate, 'VERIFIED', title, 3, true].join(),
  );
  // The subgraph and IPFS follow the chain with a delay, and a restart takes seconds; half a minute is ample.
  for (const giveUpAt = Date.now() + 30_000; ; await sleep(500)) {
    const { data } = await client.query<Tree>(joined, { id });
    const edges = data.issuance?.entries?.edges as unknown as { node: { srr: Tree } }[];
    const seen = edges.map(async ({ node: { srr } }) => {
      const chain = [srr.owner, srr.issuer?.address, srr.artist?.address, srr.collection?.address];
      const { title, attachmentFiles: files, image } = srr.metadata ?? {};
      const document = [srr.metadataStatus, title?.text, files?.length, await isImage(image?.url)];
      return [...chain, srr.royalty?.percent, ...document].join();
    });
    // Letters of addresses may differ in their case.
    const asOrdered = `${await Promise.all(seen)}`.toLowerCase() === `${ordered}`.toLowerCase();
    if (!asOrdered && Date.now() < giveUpAt) continue;
    for (const { node } of edges) console.dir(node.srr, { depth: null });
    if (asOrdered) return;
    throw new Error(`That is not as ordered: ${ordered.join(' and ')}`);
  }
}

/** Whether a page could show the picture at this address. */
async function isImage(url: unknown): Promise<boolean> {
  const response = await fetch(String(url)).catch(() => undefined);
  await response?.body?.cancel();
  return Boolean(response?.ok && response.headers.get('content-type')?.startsWith('image/'));
}
