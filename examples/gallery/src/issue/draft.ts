import type { FileRefInput, IssueEntryInput } from '@srr-gateway/client';

/** A work of art as people fill it in. The keys of its texts are the fields of the form. */
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
  /** Only when it is another file than the picture. */
  thumbnail?: FileRefInput | undefined;
  /** The failed entry that it repeats: what the form has no field for stays as it was. */
  base?: IssueEntryInput | undefined;
}

/**
 * `uploading` begins with the press of the button, and `sending` once the check has passed: from then on the
 * gateway may have the records, and only the same requestId finds that out.
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

/** A work for a file. What works of one batch share is taken from the last one. */
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

/** A filename holds one content for ever: this one is nobody else's. */
export const filenameOf = (file: File) => crypto.randomUUID() + (/\.[^.]+$/.exec(file.name)?.[0] ?? '');
