import { isRecord } from '../body/problems.ts';
import type { Metadata } from './check.ts';

export interface HashedFile {
  category: string;
  hash: string;
}

export interface Additions {
  /** The first of the deprecated `externalUrls`. */
  externalUrl: string | undefined;
  attachments: HashedFile[];
  /** Address of a file field in its published form, `ipfs://<cid>`. */
  publishedUrl(url: string): string;
}

/** The metadata as it is issued, and as everybody can read it from then on. */
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

/** The tags of a record of the current version, in which both names hold the same. */
export function chipsOf({ chipUIDs }: Metadata): string[] {
  return Array.isArray(chipUIDs) ? chipUIDs.filter((chip) => typeof chip === 'string') : [];
}
