import { CID } from 'multiformats/cid';
import { type FileLocation, parseFinalUrl } from '../../storage/file-location.ts';
import { isRecord } from '../body/problems.ts';
import type { Metadata } from './check.ts';

/** What a metadata file field points to. */
type MetadataFile =
  | { kind: 'stored'; location: FileLocation }
  /** Already on the content network: `<cid>[/path]`. */
  | { kind: 'published'; path: string };

/** The metadata fields that name files and are present, in the document's order. */
export function fileFields(metadata: Metadata): { field: string; url: string }[] {
  const { contractTerms } = metadata;
  return [
    { field: 'thumbnailURL', url: metadata.thumbnailURL },
    { field: 'image', url: metadata.image },
    { field: 'contractTerms.fileURL', url: isRecord(contractTerms) ? contractTerms.fileURL : undefined },
  ].filter((file): file is { field: string; url: string } => typeof file.url === 'string');
}

/** Reads a file field: a finalUrl, `ipfs://<cid>`, or `{cdn_url}/ipfs/<cid>`; `undefined` for anything else. */
export function readMetadataFile(origin: string, url: string): MetadataFile | undefined {
  const location = parseFinalUrl(origin, url);
  if (location !== undefined) return { kind: 'stored', location };
  const prefix = ['ipfs://', `${origin}/ipfs/`].find((start) => url.startsWith(start));
  const path = prefix === undefined ? '' : url.slice(prefix.length);
  return isContentPath(path) ? { kind: 'published', path } : undefined;
}

function isContentPath(path: string): boolean {
  try {
    CID.parse(path.split('/')[0] ?? '');
    return !/[?#]/.test(path);
  } catch {
    return false;
  }
}
