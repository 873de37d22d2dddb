import type { IssuanceState, Progress } from '@srr-gateway/client';
import type { EntryStateFragment } from '../gql/graphql.ts';
import { createStore } from '../lib/store.ts';
import { type Draft, loadDraft, saveDraft, type Work } from './draft.ts';
import type { FieldFault } from './faults.ts';

/** The state of the page. Only `draft` survives a reload; the rest is loaded again. */
export interface IssueState {
  draft: Draft;
  progress: Record<string, Progress>;
  /** Works whose file this browser does not have. */
  lost: Record<string, boolean>;
  faults: FieldFault[];
  issuance?: IssuanceState | undefined;
  entries: EntryStateFragment[];
  disconnected: boolean;
}

const store = createStore<IssueState>({
  draft: loadDraft(),
  progress: {},
  lost: {},
  faults: [],
  entries: [],
  disconnected: false,
});

export const { get: getState, use: useIssueState } = store;

export function change(changes: Partial<IssueState>) {
  if (changes.draft) saveDraft(changes.draft);
  store.set({ ...store.get(), ...changes });
}

export const changeDraft = (changes: Partial<Draft>) =>
  change({ draft: { ...store.get().draft, ...changes } });

export function changeWork(id: string, changes: Partial<Work>) {
  const { works } = store.get().draft;
  changeDraft({ works: works.map((work) => (work.id === id ? { ...work, ...changes } : work)) });
}

/** Retry for long: people may be offline for hours, and each attempt is cheap. */
export const longRetry = { retryForMs: 3_600_000, onRetry: () => change({ disconnected: true }) };
