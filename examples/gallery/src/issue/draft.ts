import type { FileRefInput, IssueEntryInput } from '@srr-gateway/client';

/** A work of art as the user enters it. The keys of its texts are the fields of the form. */
export interface Work {
  /** The externalId of its entry, and the key of its file in this browser. */
  id: string;
  filename: string;
  title: string;
  medium: string;
  year: string;
  artist: string;
  royalty: string;
  /** The uploaded picture, once its bytes have arrived. */
  image?: FileRefInput | undefined;
  /** Only if it is another file than the picture. */
  thumbnail?: FileRefInput | undefined;
  /** The failed entry that it repeats. Values without a field in the form are kept from it. */
  base?: IssueEntryInput | undefined;
}

/**
 * `uploading` begins when the button is pressed, and `sending` when the check has passed. From then on the gateway may
 * have the records, and only the same requestId can find out.
 */
export type Phase = 'editing' | 'uploading' | 'sending' | 'sent';

export interface Draft {
  /** Made before anything is sent: with it a repeated call is the same issuance. */
  requestId: string;
  collection: string;
  works: Work[];
  phase: Phase;
}

const key = 'draft';

export const emptyDraft = (): Draft => ({
  requestId: crypto.randomUUID(),
  collection: '',
  works: [],
  phase: 'editing',
});

export function loadDraft(): Draft {
  const text = localStorage.getItem(key);
  return text ? (JSON.parse(text) as Draft) : emptyDraft();
}

export const saveDraft = (draft: Draft) => localStorage.setItem(key, JSON.stringify(draft));

/** A new work for a file. It copies from the last one what works of one batch usually share. */
export function workOf(file: File, last?: Work): Work {
  return {
    id: crypto.randomUUID(),
    filename: filenameOf(file),
    title: file.name.replace(/\.[^.]*$/, '').replaceAll(/[-_]+/g, ' '),
    medium: last?.medium ?? '',
    year: last?.year ?? String(new Date().getFullYear()),
    artist: last?.artist ?? '',
    royalty: last?.royalty ?? '',
  };
}

/** A unique filename, because a name belongs to one content for ever. */
export const filenameOf = (file: File) => crypto.randomUUID() + (/\.[^.]+$/.exec(file.name)?.[0] ?? '');
