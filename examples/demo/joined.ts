/** One request joins the issuance, the subgraph and the metadata on IPFS. */
export const joined = `query ($id: ID!) {
  issuance(id: $id) {
    entries {
      edges {
        node {
          externalId
          status
          srr {
            tokenId
            contractAddress
            indexing
            owner
            issuer { address englishName }
            artist { address englishName }
            collection { address name }
            royalty { receiver percent }
            metadataCID
            metadataUrl
            metadataStatus
            metadata { title { text(languages: ["en"]) } image { url } attachmentFiles { category } digitalComponents { category } }
            provenance { edges { node { from to } } }
          }
        }
      }
    }
  }
}`;

export interface Srr {
  tokenId: string;
  indexing: string;
  owner: string | null;
  issuer: { address: string; englishName: string } | null;
  artist: { address: string; englishName: string } | null;
  collection: { address: string; name: string } | null;
  royalty: { percent: number } | null;
  metadataUrl: string | null;
  metadataStatus: string;
  metadata: {
    title: { text: string } | null;
    image: { url: string | null } | null;
    attachmentFiles: object[] | null;
    digitalComponents: object[] | null;
  } | null;
  provenance: { edges: { node: { from: string; to: string } }[] } | null;
}
export interface Joined {
  issuance: {
    entries: { edges: { node: { externalId: string; status: string; srr: Srr | null } }[] };
  } | null;
}
