import { isRecord } from '../body/problems.ts';
import type { Metadata } from './check.ts';
import { chipAlias } from './properties.ts';

export interface HashedFile {
  category: string;
  hash: string;
}

export interface Additions {
  vendorPrefix: string;
  /** The first of the deprecated `externalUrls`. */
  externalUrl: string | undefined;
  attachments: HashedFile[];
  /** Address of a file field in its published form, `ipfs://<cid>`. */
  publishedUrl(url: string): string;
}

/** The metadata as it is issued, and as everybody can read it from then on. */
export function normaliseMetadata(metadata: Metadata, additions: Additions): Metadata {
  const steps = [withPublishedFiles, withAttachments, withExternalUrl, withBothChipNames];
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

/** Readers of the old name and of the new one find the same tags. */
function withBothChipNames(metadata: Metadata, { vendorPrefix }: Additions): Metadata {
  const chips = chipsOf(metadata, vendorPrefix);
  if (chips.length === 0) return metadata;
  const named = { ...metadata, [chipAlias(vendorPrefix)]: chips };
  return 'chipUIDs' in metadata ? { ...named, chipUIDs: chips } : named;
}

/** The tags of a record, from whichever name the caller used. */
export function chipsOf(metadata: Metadata, vendorPrefix: string): string[] {
  const chips = metadata.chipUIDs ?? metadata[chipAlias(vendorPrefix)];
  return Array.isArray(chips) ? chips.filter((chip) => typeof chip === 'string') : [];
}
