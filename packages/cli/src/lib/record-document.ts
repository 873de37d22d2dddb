/** A record as `srr get` and `srr export` show it. README.md documents it. */
export interface ShownRecord {
  tokenId: string;
  contractAddress: string | null;
  owner: string | null;
  issuer: { address: string; englishName: string | null } | null;
  artistAddress: string | null;
  artist: { address: string; englishName: string | null } | null;
  collection: { address: string; name: string } | null;
  isPrimaryIssuer: boolean | null;
  lockExternalTransfer: boolean | null;
  createdAt: string | null;
  updatedAt: string | null;
  metadataCID: string | null;
  metadataStatus: string;
  metadata: {
    name: string | null;
    title: { all: Record<string, string> } | null;
    medium: { all: Record<string, string> } | null;
    yearOfCreation: { all: Record<string, string> } | null;
    image: { url: string } | null;
    thumbnail: { url: string } | null;
  } | null;
}

export const recordFields = `
  tokenId contractAddress owner artistAddress isPrimaryIssuer lockExternalTransfer createdAt updatedAt
  issuer { address englishName } artist { address englishName } collection { address name }
  metadataCID metadataStatus
  metadata { name title { all } medium { all } yearOfCreation { all } image { url } thumbnail { url } }`;

/** The record as one row, for a table. */
export function rowOf(record: ShownRecord): Record<string, string | boolean | null | undefined> {
  const { metadata } = record;
  const text = (value: { all: Record<string, string> } | null | undefined) =>
    value && (value.all.en ?? Object.values(value.all)[0]);
  return {
    tokenId: record.tokenId,
    contractAddress: record.contractAddress,
    owner: record.owner,
    issuer: record.issuer?.address,
    issuerName: record.issuer?.englishName,
    artist: record.artistAddress,
    artistName: record.artist?.englishName,
    collection: record.collection?.address,
    collectionName: record.collection?.name,
    isPrimaryIssuer: record.isPrimaryIssuer,
    lockExternalTransfer: record.lockExternalTransfer,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    metadataCID: record.metadataCID,
    metadataStatus: record.metadataStatus,
    name: metadata?.name,
    title: text(metadata?.title),
    medium: text(metadata?.medium),
    yearOfCreation: text(metadata?.yearOfCreation),
    image: metadata?.image?.url,
    thumbnail: metadata?.thumbnail?.url,
  };
}
