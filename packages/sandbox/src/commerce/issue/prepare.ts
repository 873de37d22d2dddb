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

/** An entry with everything that follows from it before mining. */
export interface PreparedEntry {
  entry: IssueEntry;
  tokenId: string;
  metadataCid: string;
  /** Tags as written; uniqueness is judged in upper case. */
  chips: string[];
  royaltyBasisPoints: number | null;
  /** The metadata and every stored file of this entry. */
  publications: Publication[];
}

export interface PrepareContext {
  storage: Storage;
  origin: string;
  files: ReferencedFiles;
  tokenId(metadataCid: string, artist: Address): string;
}

/** Gives an entry its final metadata, and with it its CID and token id. Nothing is stored yet. */
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
  // Sorted keys: the same metadata in another order is the same record.
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
 * exception. A private bucket only says who may read the object in storage.
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

/** Percent with decimals to whole basis points: 15.7 is 1570. */
function royaltyOf(contractTerms: unknown): number | null {
  const rate = isRecord(contractTerms) ? contractTerms.royaltyRate : undefined;
  return typeof rate === 'number' ? Math.round(rate * 100) : null;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
