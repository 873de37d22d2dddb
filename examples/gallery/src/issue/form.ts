import { emptyDraft, type Work, workOf } from './draft.ts';
import { type TypedEntry, workFrom } from './entry.ts';
import { faultAt, type GatewayFault } from './faults.ts';
import { stopFollowing } from './follow.ts';
import { change, changeDraft, changeWork, getState } from './state.ts';
import { submitWhenUploaded } from './submit.ts';
import { attach, detach, resumeUploads } from './upload.ts';

/** The user's actions on the form. */

export function addFiles(files: Iterable<File>) {
  for (const file of files) {
    const { works } = getState().draft;
    const work = workOf(file, works.at(-1));
    changeDraft({ works: [...works, work] });
    attach(work.id, file);
  }
}

export function editWork(id: string, field: keyof Work, value: string) {
  // The new value is unchecked, so it has no faults until the next check.
  const faults = getState().faults.filter((fault) => fault.work !== id || fault.field !== field);
  change({ faults });
  changeWork(id, { [field]: value });
}

export function removeWork(id: string) {
  detach(id);
  changeDraft({ works: getState().draft.works.filter((work) => work.id !== id) });
  change({ faults: getState().faults.filter(({ work }) => work !== id) });
}

export const chooseCollection = (collection: string) => changeDraft({ collection });

/** Stores the intent first, so that the next page resumes whatever ends this one. */
export function issue() {
  changeDraft({ phase: 'uploading' });
  change({ faults: [] });
  resumeUploads();
  void submitWhenUploaded();
}

export const stopAndEdit = () => changeDraft({ phase: 'editing' });

export function startNew() {
  stopFollowing();
  for (const { id } of getState().draft.works) detach(id);
  change({ draft: emptyDraft(), progress: {}, lost: {}, faults: [], issuance: undefined, entries: [] });
}

/** Puts a failed entry back into the form, with its fault at its field. */
export function fillAgain(entry: TypedEntry, fault: GatewayFault, { sameFiles }: { sameFiles: boolean }) {
  if (getState().draft.phase === 'sent') startNew();
  const { draft, faults, lost } = getState();
  const work = workFrom(entry, { sameFiles });
  const collection = draft.works.length > 0 ? draft.collection : (entry.collectionAddress ?? '');
  const { field } = faultAt(fault, []);
  change({
    draft: { ...draft, collection, works: [...draft.works, work] },
    lost: { ...lost, [work.id]: !sameFiles },
    faults: field ? [...faults, { work: work.id, field, message: fault.message }] : faults,
  });
}
