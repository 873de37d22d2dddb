import type { IssueEntryInput } from '@srr-gateway/client';
import type { Draft, Work } from './draft.ts';

/** A work as the gateway takes it. What is missing goes as it is: the gateway's check names it. */
export function entryOf(work: Work, { collection }: Draft): IssueEntryInput {
  const file = { upload: work.upload ?? '' };
  return {
    externalId: work.id,
    artistAddress: work.artist,
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    ...(collection && { collectionAddress: collection }),
    metadata: {
      name: work.title,
      title: { en: work.title },
      medium: { en: work.medium },
      yearOfCreation: { en: work.year },
      image: file,
      thumbnail: file,
      ...(work.royalty && { contractTerms: { royaltyRate: Number(work.royalty) } }),
    },
  };
}

/** The field of the form that a path of the gateway means. */
const fields: [RegExp, keyof Work][] = [
  [/artistAddress/, 'artist'],
  [/title|name$/, 'title'],
  [/medium/, 'medium'],
  [/yearOfCreation/, 'year'],
  [/royalty|contractTerms/, 'royalty'],
  [/image|thumbnail/, 'filename'],
];

export interface FieldFault {
  /** The place of the work in the draft; undefined when the fault is about no single one. */
  work: number | undefined;
  field: keyof Work | 'collection' | undefined;
  message: string;
}

/** Where to show a fault: paths look like ["input", "entries", "3", "metadata", "title", "en"]. */
export function faultAt({
  path,
  message,
}: {
  path?: readonly (string | number)[] | null | undefined;
  message: string;
}): FieldFault {
  const place = (path ?? []).map(String);
  const index = place.indexOf('entries') + 1;
  const work = index > 0 && place[index] ? Number(place[index]) : undefined;
  const rest = place.slice(index + 1).join('.');
  const field = fields.find(([pattern]) => pattern.test(rest))?.[1];
  return { work, field: rest.startsWith('collection') ? 'collection' : field, message };
}
