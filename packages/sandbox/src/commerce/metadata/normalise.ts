import { isRecord } from '../body/problems.ts';
import type { Metadata } from './check.ts';

/** An attachment as the issued metadata lists it. */
export interface HashedFile {
  category: string;
  hash: string;
}

/** What the other fields of an entry contribute to its metadata. */
interface Additions {
  /** The first of the deprecated `externalUrls`. */
  externalUrl: string | undefined;
  attachments: HashedFile[];
  /** Turns the URL of a file field into its published form, `ipfs://<cid>`. */
  publishedUrl(url: string): string;
}

/** The metadata as it is issued and published. */
export function normaliseMetadata(metadata: Metadata, additions: Additions): Metadata {
  const steps = [withPublishedFiles, withAttachments, withExternalUrl];
  return steps.reduce((document, step) => step(document, additions), metadata);
}

function withPublishedFiles(metadata: Metadata, { publishedUrl }: Additions): Metadata {
  const { thumbnailURL, image, contractTerms } = metadata;
  return {
    ...metadata,
    ...(typeof thumbnailURL === 'string' && { thumbnailURL: publishedUrl(thumbnailURL) }),
    ...(typeof image === 'string' && { image: publishedUrl(image) }),
    ...(isRecord(contractTerms) &&
      typeof contractTerms.fileURL === 'string' && {
        contractTerms: { ...contractTerms, fileURL: publishedUrl(contractTerms.fileURL) },
      }),
  };
}

/** Attached artwork is part of the work itself; every other category documents it. */
function withAttachments(metadata: Metadata, { attachments }: Additions): Metadata {
  const artworks = attachments.filter(({ category }) => category === 'artwork');
  const others = attachments.filter(({ category }) => category !== 'artwork');
  return {
    ...metadata,
    ...(artworks.length > 0 && { digitalComponents: joined(metadata.digitalComponents, artworks) }),
    ...(others.length > 0 && { attachmentFiles: joined(metadata.attachmentFiles, others) }),
  };
}

function joined(present: unknown, added: HashedFile[]): unknown[] {
  return [...(Array.isArray(present) ? present : []), ...added];
}

function withExternalUrl(metadata: Metadata, { externalUrl }: Additions): Metadata {
  return externalUrl === undefined ? metadata : { ...metadata, external_url: externalUrl };
}

/** The NFC tags in metadata of the current version. `chipUIDs` is enough: its alias holds the same values. */
export function chipsOf({ chipUIDs }: Metadata): string[] {
  return Array.isArray(chipUIDs) ? chipUIDs.filter((chip) => typeof chip === 'string') : [];
}
