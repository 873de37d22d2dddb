/** A record as the gateway returns it: the fields of `SRR` that `recordFields` selects. */
export type RecordOutput = Record<string, unknown>;

/** The columns of a table of records, each with its path in `SRR`. Add new ones last: scripts read by position. */
const cells = {
  tokenId: 'tokenId',
  contractAddress: 'contractAddress',
  owner: 'owner',
  issuer: 'issuer.address',
  issuerName: 'issuer.englishName',
  artist: 'artistAddress',
  artistName: 'artist.englishName',
  collection: 'collection.address',
  collectionName: 'collection.name',
  isPrimaryIssuer: 'isPrimaryIssuer',
  lockExternalTransfer: 'lockExternalTransfer',
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
  metadataCID: 'metadataCID',
  metadataStatus: 'metadataStatus',
  name: 'metadata.name',
  title: 'metadata.title.all',
  medium: 'metadata.medium.all',
  yearOfCreation: 'metadata.yearOfCreation.all',
  image: 'metadata.image.url',
  thumbnail: 'metadata.thumbnail.url',
};

/** The GraphQL selection of `srr get` and `srr export`. Their JSON has the artist's address in `artist` too. */
export const recordFields = [...Object.values(cells), 'artist.address']
  .map((path) => path.replaceAll('.', ' { ') + ' }'.repeat(path.split('.').length - 1))
  .join(' ');

/** The headers of a table. */
export const rowNames = Object.keys(cells);

/** The record as a row of a table. */
export const rowOf = (record: RecordOutput): Record<string, unknown> =>
  Object.fromEntries(Object.entries(cells).map(([name, path]) => [name, cellOf(record, path)]));

/** The value at a path. For a text in several languages it is the English one, or else the first. */
function cellOf(record: RecordOutput, path: string): unknown {
  let value: unknown = record;
  for (const name of path.split('.')) value = (value as RecordOutput | null)?.[name];
  return value && typeof value === 'object' ? ('en' in value ? value.en : Object.values(value)[0]) : value;
}
