import type { Address } from '@srr-gateway/common/address';
import { canonicalJson } from '@srr-gateway/common/canonical-json';
import type { Publication } from '../../ipfs/content.ts';
import { cidOf } from '../../ipfs/import.ts';
import type { Storage } from '../../storage/storage.ts';
import type { IssueEntry } from '../body/issue-request.ts';
import { isRecord } from '../body/problems.ts';
import { readMetadataFile } from '../metadata/files.ts';
import { chipsOf, normaliseMetadata } from '../metadata/normalise.ts';
import type { ReferencedFiles } from './referenced-files.ts';

/** An entry with the values that are derived from it before mining. */
export interface PreparedEntry {
  entry: IssueEntry;
  tokenId: string;
  metadataCid: string;
  /** NFC tags as written; they are compared in upper case. */
  chips: string[];
  royaltyBasisPoints: number | null;
  /** The metadata and every stored file of this entry. */
  publications: Publication[];
}

/** Dependencies of the preparation of entries. */
interface PrepareContext {
  storage: Storage;
  origin: string;
  files: ReferencedFiles;
  tokenId(metadataCid: string, artist: Address): string;
}

/** Builds an entry's final metadata, from which its CID and token id follow. Stores nothing. */
export async function prepareEntry(entry: IssueEntry, context: PrepareContext): Promise<PreparedEntry> {
  const { files } = context;
  const metadata = normaliseMetadata(entry.metadata, {
    externalUrl: entry.externalUrls[0],
    attachments: entry.attachmentFiles.map(({ category, url }) => ({
      category,
      hash: files.get(url)?.hash ?? '',
    })),
    publishedUrl: (url) => publishedUrl(url, context),
  });
  // Keys are sorted so that the same metadata in another order gets the same CID, and so is the same record.
  const text = canonicalJson(metadata);
  const open = () => once(text);
  const metadataCid = await cidOf(open());
  return {
    entry,
    tokenId: context.tokenId(metadataCid, entry.artistAddress),
    metadataCid,
    chips: chipsOf(metadata),
    royaltyBasisPoints: royaltyOf(metadata.contractTerms),
    publications: [
      { cid: metadataCid, contentType: 'application/json', open },
      ...filePublications(entry, context),
    ],
  };
}

function publishedUrl(url: string, { files, origin }: PrepareContext): string {
  const file = readMetadataFile(origin, url);
  if (file?.kind === 'published') return `ipfs://${file.path}`;
  return `ipfs://${files.get(url)?.cid}`;
}

/**
 * Every referenced file, whatever its category: the document's step "publishes the files" names no
 * exception. A private bucket only limits who may read the object in storage.
 */
function filePublications(entry: IssueEntry, { files, storage }: PrepareContext): Publication[] {
  const { contractTerms, thumbnailURL, image } = entry.metadata;
  const terms = isRecord(contractTerms) ? contractTerms.fileURL : undefined;
  const urls = [thumbnailURL, image, terms, ...entry.attachmentFiles.map(({ url }) => url)];
  return urls.flatMap((url) => {
    const file = typeof url === 'string' ? files.get(url) : undefined;
    if (!file?.cid) return [];
    return [{ cid: file.cid, contentType: file.content_type, open: () => storage.read(file.id) }];
  });
}

/** Percent to whole basis points: 15.7 becomes 1570. Null when there is no rate. */
function royaltyOf(contractTerms: unknown): number | null {
  const rate = isRecord(contractTerms) ? contractTerms.royaltyRate : undefined;
  return typeof rate === 'number' ? Math.round(rate * 100) : null;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
