import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, NodeSource } from '@srr-gateway/client';
import type { Work } from './works.ts';

/** A response of which no types were generated; packages/client/codegen.ts generates them. */
export interface Tree {
  [field: string]: Tree | undefined;
}

/** One request joins the issuance, the chain's index and the metadata on IPFS. */
const joined = `query ($id: ID!) { issuance(id: $id) { entries { edges { node { srr {
  owner issuer { address } artist { address } collection { address } royalty { percent } metadataStatus
  metadata { title { text(languages: ["en"]) } attachmentFiles { __typename } }
  tokenId metadataUrl picture: metadata { image { url } } } } } } } }`;

/** Reads the records back, prints them, and fails when one is not as it was ordered. */
export async function show(client: Client<NodeSource>, id: string, works: Work[], issuer: string) {
  const expected = works.map((work) => ({
    owner: work.to ?? issuer,
    ...{ issuer: { address: issuer }, artist: { address: work.artist }, collection: work.collection ?? null },
    ...{ royalty: { percent: work.royaltyRate }, metadataStatus: 'VERIFIED' },
    metadata: { title: { text: work.title }, attachmentFiles: Array(3).fill({ __typename: 'HashedFile' }) },
  }));
  // Letters of addresses may differ in their case.
  const isAsOrdered = (record: Tree, i: number) =>
    JSON.stringify(record).toLowerCase().startsWith(JSON.stringify(expected[i]).toLowerCase().slice(0, -1));
  // IPFS follows the chain with a delay; half a minute is ample.
  for (const giveUpAt = Date.now() + 30_000; ; await sleep(500)) {
    const { data } = await client.query<Tree>(joined, { id });
    const edges = data.issuance?.entries?.edges as unknown as { node: { srr: Tree } }[];
    const records = edges.map(({ node }) => node.srr);
    if (!records.every(isAsOrdered) && Date.now() < giveUpAt) continue;
    for (const record of records)
      console.log(JSON.stringify(record, null, 2).replace(/[{}",]|\n\s*(?=[}])/g, ''));
    if (!records.every(isAsOrdered)) throw new Error(`That is not as ordered: ${JSON.stringify(expected)}`);
    return;
  }
}
