/** What people fill in for one record. The keys are those of the form. */
export interface Work {
  /** The externalId of its entry, and the key of its file in IndexedDB. */
  id: string;
  filename: string;
  title: string;
  medium: string;
  year: string;
  artist: string;
  royalty: string;
  /** The id of its upload, once its bytes have arrived. */
  upload?: string | undefined;
}

export interface Draft {
  /** Made before anything is sent: with it a repeated call is the same issuance. */
  requestId: string;
  collection: string;
  works: Work[];
  /** `issuing` from the press of the button on: after a reload it goes on by itself. */
  phase: 'editing' | 'issuing' | 'sent';
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

export function workOf(file: File, like?: Work): Work {
  const [, name = '', extension = ''] = /^(.*?)(\.[^.]*)?$/.exec(file.name) ?? [];
  const id = crypto.randomUUID();
  return {
    id,
    // A filename holds one content for ever: with the id it is nobody else's.
    filename: `${id}${extension}`,
    title: name.replaceAll(/[-_]+/g, ' '),
    medium: like?.medium ?? '',
    year: like?.year ?? String(new Date().getFullYear()),
    artist: like?.artist ?? '',
    royalty: like?.royalty ?? '',
  };
}
