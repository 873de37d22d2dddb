import type { IssueEntryInput } from '@srr-gateway/client';
import type { Draft, Work } from './draft.ts';

/** A work as the gateway takes it. What is missing goes as it is: the gateway's check names it. */
export function entryOf(work: Work, { collection }: Draft): IssueEntryInput {
  const { base } = work;
  const metadata = base?.metadata;
  const terms = metadata?.contractTerms;
  const image = work.image ?? { upload: '' };
  return {
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    ...base,
    externalId: work.id,
    artistAddress: work.artist,
    collectionAddress: collection || undefined,
    metadata: {
      ...metadata,
      name: work.title,
      title: { ...metadata?.title, en: work.title },
      medium: { ...metadata?.medium, en: work.medium },
      yearOfCreation: { ...metadata?.yearOfCreation, en: work.year },
      image,
      thumbnail: work.thumbnail ?? image,
      contractTerms: work.royalty
        ? { ...terms, royaltyRate: rateOf(work.royalty) }
        : terms?.file && { file: terms.file },
    },
  };
}

/** As JSON, NaN would be null, which is no royalty at all. The gateway refuses what is no number. */
function rateOf(typed: string): number {
  const rate = Number(typed.replace(',', '.'));
  return Number.isNaN(rate) ? (typed as never) : rate;
}

export type TypedEntry = IssueEntryInput & { metadata: NonNullable<IssueEntryInput['metadata']> };

/** The gateway forgets inputs after a time, and another app may have sent a document in place of its fields. */
export const fillsForm = (input: unknown): input is TypedEntry =>
  Boolean((input as Partial<TypedEntry>).metadata);

/** An entry that failed, to be sent again under a new reference. */
export function workFrom(entry: TypedEntry, { sameFiles }: { sameFiles: boolean }): Work {
  const { metadata } = entry;
  return {
    id: crypto.randomUUID(),
    filename: '',
    title: metadata.title.en ?? metadata.name,
    medium: metadata.medium.en ?? '',
    year: metadata.yearOfCreation.en ?? '',
    artist: entry.artistAddress,
    royalty: String(metadata.contractTerms?.royaltyRate ?? ''),
    ...(sameFiles && { image: metadata.image, thumbnail: metadata.thumbnail }),
    base: entry,
  };
}
