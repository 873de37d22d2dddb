import { createHash } from 'node:crypto';
import { CID } from 'multiformats/cid';
import { create as createDigest } from 'multiformats/hashes/digest';
import { srrId } from '../../src/clients/subgraph/srr-id.ts';

/** The registry of the stand-in, which has the records without a collection. */
export const registryAddress = addressOf('registry');

/** The number of records that fit on one page of the subgraph. */
export const recordCount = 1_000;

/** The data of the stand-ins, the same in every run. */
export interface World {
  /** The subgraph's rows, newest first. */
  srrs: Row[];
  byId: Map<string, Row>;
  /** Metadata documents by their CID. */
  documents: Map<string, Buffer>;
}

export type Row = { id: string; tokenId: string; collection: { id: string } | null } & Record<
  string,
  unknown
>;

export function createWorld(): World {
  const artists = Array.from({ length: 40 }, (_, i) => userOf('artist', i));
  const issuers = Array.from({ length: 5 }, (_, i) => userOf('handler', i));
  const collections = Array.from({ length: 8 }, (_, i) => collectionOf(i));
  const documents = new Map<string, Buffer>();
  const srrs = Array.from({ length: recordCount }, (_, i): Row => {
    const document = Buffer.from(JSON.stringify(documentOf(i)));
    const cid = cidOf(document);
    documents.set(cid, document);
    // Every third record is in the registry itself.
    const collection = i % 3 === 0 ? null : pick(collections, i);
    const tokenId = String(100_000_000_000 + i * 7_919);
    const time = String(1_780_000_000_000 - i * 60_000);
    const artist = pick(artists, i * 7);
    return {
      id: srrId(collection?.id ?? registryAddress, tokenId),
      tokenId,
      collection,
      issuer: pick(issuers, i),
      artist,
      artistAddress: artist.id,
      ownerAddress: addressOf(`owner ${i % 90}`),
      isPrimaryIssuer: i % 4 !== 0,
      metadataDigest: cid,
      transferCommitment: null,
      lockExternalTransfer: i % 5 === 0,
      royaltyReceiver: addressOf(`receiver ${i % 20}`),
      royaltyBasisPoints: (i % 10) * 100,
      originChain: 'eip155:1',
      originTxHash: hex(`transaction ${i}`, 32),
      createdAt: time,
      updatedAt: time,
      provenance: Array.from({ length: 1 + (i % 4) }, (_, k) => transferOf(i, k)),
    };
  });
  return { srrs, byId: new Map(srrs.map((row) => [row.id, row])), documents };
}

function userOf(userType: string, i: number) {
  const address = addressOf(`${userType} ${i}`);
  return {
    id: address,
    walletAddress: address,
    threshold: 1,
    englishName: `${pick(['Mika', 'Jun', 'Ada', 'Ravi', 'Noor'], i)} ${pick(['Ito', 'Berg', 'Okafor', 'Silva'], i)} ${i}`,
    originalName: `${pick(['伊藤', '青木', '高橋'], i)} ${i}`,
    userType,
    owners: [addressOf(`owner of ${userType} ${i}`)],
    salt: hex(`salt ${userType} ${i}`, 32),
    originChain: null,
    createdAt: '1700000000000',
    updatedAt: '1700000000000',
  };
}

function collectionOf(i: number) {
  return {
    id: addressOf(`collection ${i}`),
    name: `Collection ${i}`,
    symbol: `C${i}`,
    salt: hex(`salt collection ${i}`, 32),
    ownerAddress: addressOf(`handler ${i % 5}`),
    creatorAddress: addressOf(`handler ${i % 5}`),
    createdAt: '1700000000000',
    updatedAt: '1700000000000',
  };
}

function transferOf(i: number, k: number) {
  const time = String(1_780_000_100_000 + i * 60_000 + k * 1_000);
  return {
    id: hex(`transfer ${i} ${k}`, 32),
    timestamp: time,
    from: addressOf(`owner ${(i + k) % 90}`),
    to: addressOf(`owner ${(i + k + 1) % 90}`),
    metadataDigest: '',
    metadataURI: '',
    isIntermediary: false,
    sender: addressOf(`handler ${i % 5}`),
    customHistory: null,
  };
}

/** About two kilobytes, like the documents of live records. */
function documentOf(i: number) {
  const file = (kind: string) => ({ hash: `sha256-${hex(`${kind} ${i}`, 32).slice(2)}` });
  return {
    $schema: `ipfs://${cidOf(Buffer.from('schema'))}`,
    name: `Untitled no. ${i} (2021)`,
    title: { en: `Untitled no. ${i}`, ja: `無題 ${i}番` },
    medium: { en: 'Oil and pigment on canvas, mounted on panel', ja: 'キャンバスに油彩、顔料、パネル' },
    yearOfCreation: { en: String(1980 + (i % 45)), ja: `${1980 + (i % 45)}年` },
    note: { en: `Signed and dated on the reverse. Inventory ${i}.`, ja: '裏面にサインと年記。' },
    description: 'A work of the series that the artist began in the spring of that year. '.repeat(8),
    image: `ipfs://${cidOf(Buffer.from(`image ${i}`))}`,
    thumbnailURL: `ipfs://${cidOf(Buffer.from(`thumbnail ${i}`))}`,
    size: { width: 300 + (i % 700), height: 400 + (i % 500), depth: 20, unit: 'mm' },
    edition: { uniqueness: 'unique work' },
    contractTerms: {
      royaltyRate: (i % 10) / 100,
      fileURL: `ipfs://${cidOf(Buffer.from('terms'))}`,
    },
    isDigital: false,
    digitalComponents: [],
    attachmentFiles: [
      { ...file('certificate'), category: 'certificates' },
      { ...file('evidence'), category: 'evidence' },
    ],
  };
}

const pick = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

function addressOf(name: string): string {
  return hex(name, 20);
}

function hex(name: string, bytes: number): string {
  return `0x${createHash('sha256')
    .update(name)
    .digest('hex')
    .slice(0, 2 * bytes)}`;
}

/** A raw block under its real CID, so that a gateway can verify it. */
function cidOf(bytes: Uint8Array): string {
  const sha256 = 0x12;
  const raw = 0x55;
  return CID.createV1(raw, createDigest(sha256, createHash('sha256').update(bytes).digest())).toString();
}
