import type { IssueEntryInput } from '@srr-gateway/client';
import type { Draft, Work } from './draft.ts';

/** A work as an entry for the gateway. Missing values are sent as they are: the gateway's check names them. */
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

/** Text that is not a number is sent as it is, so that the gateway refuses it. NaN would become null: no royalty. */
function rateOf(typed: string): number {
  const rate = Number(typed.replace(',', '.'));
  return Number.isNaN(rate) ? (typed as never) : rate;
}

export type TypedEntry = IssueEntryInput & { metadata: NonNullable<IssueEntryInput['metadata']> };

/**
 * Whether the form can show the input: the gateway deletes inputs after a time, and another app may send a document.
 */
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
