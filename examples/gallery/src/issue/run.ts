import { GatewayError, type IssuanceState, type Progress } from '@srr-gateway/client';
import { CheckDocument, type EntryStateFragment, IssuedDocument } from '../gql/graphql.ts';
import { apollo } from '../lib/apollo.ts';
import { client } from '../lib/gateway.ts';
import { language } from '../lib/settings.ts';
import { type Draft, emptyDraft, loadDraft, saveDraft, type Work, workOf } from './draft.ts';
import { entryOf, type FieldFault, faultAt } from './entry.ts';
import { dropFile, keepFile, keptFile } from './files.ts';

/** All that the page shows. Only `draft` outlives a reload; the rest is asked for again. */
export interface RunState {
  draft: Draft;
  progress: Record<string, Progress>;
  /** Works whose file this browser does not have any more. */
  lost: Record<string, boolean>;
  faults: FieldFault[];
  issuance?: IssuanceState | undefined;
  entries: EntryStateFragment[];
  disconnected: boolean;
}

/** The way of some works from their files to the chain. It lives beside React and goes on after a reload. */
export class Run {
  #listeners = new Set<() => void>();
  #uploads = new Map<string, AbortController>();
  #ending = new AbortController();
  state: RunState = {
    draft: loadDraft(),
    progress: {},
    lost: {},
    faults: [],
    entries: [],
    disconnected: false,
  };

  constructor() {
    if (this.state.draft.phase === 'sent') void this.#follow();
    else for (const work of this.state.draft.works) if (!work.upload) void this.#resume(work);
    this.#goOn();
  }

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #set(changes: Partial<RunState>) {
    this.state = { ...this.state, ...changes };
    if (changes.draft) saveDraft(changes.draft);
    for (const listener of this.#listeners) listener();
  }

  #change(id: string, changes: Partial<Work>) {
    const works = this.state.draft.works.map((work) => (work.id === id ? { ...work, ...changes } : work));
    this.#set({ draft: { ...this.state.draft, works } });
  }

  edit(id: string, changes: Partial<Work>) {
    const index = this.state.draft.works.findIndex((work) => work.id === id);
    this.#set({ faults: this.state.faults.filter((one) => one.work !== index || !(one.field! in changes)) });
    this.#change(id, changes);
  }

  chooseCollection(collection: string) {
    this.#set({ draft: { ...this.state.draft, collection } });
  }

  add(files: Iterable<File>) {
    for (const file of files) {
      const { draft } = this.state;
      const work = workOf(file, draft.works.at(-1));
      this.#set({ draft: { ...draft, works: [...draft.works, work] }, faults: [] });
      this.attach(work, file);
    }
  }

  attach(work: Work, file: File) {
    this.#set({ lost: { ...this.state.lost, [work.id]: false } });
    void keepFile(work.id, file);
    void this.#upload(work, file);
  }

  remove(id: string) {
    this.#uploads.get(id)?.abort();
    void dropFile(id);
    const { draft } = this.state;
    this.#set({ draft: { ...draft, works: draft.works.filter((work) => work.id !== id) }, faults: [] });
  }

  /** The intent is stored first: whatever ends this page, the next one goes on. */
  issue() {
    this.#set({ draft: { ...this.state.draft, phase: 'issuing' }, faults: [] });
    this.#goOn();
  }

  edits() {
    this.#set({ draft: { ...this.state.draft, phase: 'editing' } });
  }

  startNew() {
    this.#ending.abort();
    this.#ending = new AbortController();
    for (const { id } of this.state.draft.works) void dropFile(id);
    this.#set({ draft: emptyDraft(), progress: {}, faults: [], issuance: undefined, entries: [] });
  }

  async #resume(work: Work) {
    const file = await keptFile(work.id);
    if (file) await this.#upload(work, file);
    else this.#set({ lost: { ...this.state.lost, [work.id]: true } });
  }

  async #upload(work: Work, file: File) {
    const stop = new AbortController();
    this.#uploads.set(work.id, stop);
    try {
      const { id } = await client().upload(file, {
        filename: work.filename,
        category: 'NON_ATTACHMENT_FILE',
        signal: stop.signal,
        ...this.#patience,
        onProgress: (progress) =>
          this.#set({ progress: { ...this.state.progress, [work.id]: progress }, disconnected: false }),
      });
      this.#change(work.id, { upload: id });
      this.#goOn();
    } catch (error) {
      if (!stop.signal.aborted)
        this.#fail(
          error,
          this.state.draft.works.findIndex(({ id }) => id === work.id),
        );
    }
  }

  /** As soon as every file has arrived. */
  #goOn() {
    const { phase, works } = this.state.draft;
    if (phase === 'issuing' && works.every(({ upload }) => upload)) void this.#send();
  }

  async #send() {
    const { draft } = this.state;
    const entries = draft.works.map((work) => entryOf(work, draft));
    try {
      const checked = await client().query(CheckDocument, { entries }, this.#patience);
      const { userErrors } = checked.data.validateSRRs;
      if (userErrors.length > 0) return this.#refuse(userErrors.map(faultAt));
      await client().issue(entries, { requestId: draft.requestId, ...this.#patience }).stored;
      this.#set({ draft: { ...this.state.draft, phase: 'sent' }, disconnected: false });
      await this.#follow();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #follow() {
    const { requestId } = this.state.draft;
    const { signal } = this.#ending;
    try {
      const following = client().issuance({ requestId }, { ...this.#patience, signal });
      for await (const issuance of following.status) {
        this.#set({ issuance, disconnected: false });
        await this.#entries();
      }
      // The index may be slow, and what was just pinned takes a moment until IPFS delivers it.
      const waits = ({ status, srr }: EntryStateFragment) =>
        status === 'ISSUED' && !(srr?.metadata && srr.indexing === 'INDEXED');
      for (await this.#entries(); this.state.entries.some(waits); await this.#entries()) {
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        signal.throwIfAborted();
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  async #entries() {
    const { data } = await apollo.query({
      query: IssuedDocument,
      variables: { requestId: this.state.draft.requestId, languages: [language.get()] },
      context: { signedIn: true },
      fetchPolicy: 'network-only',
    });
    const edges = data?.issuance?.entries.edges as { node: EntryStateFragment }[] | undefined;
    if (edges) this.#set({ entries: edges.map(({ node }) => node) });
  }

  #refuse(faults: FieldFault[]) {
    this.#set({ draft: { ...this.state.draft, phase: 'editing' }, faults, disconnected: false });
  }

  #fail(error: unknown, work?: number) {
    if (!(error instanceof GatewayError)) throw error;
    const faults = error.all.map(faultAt);
    this.#refuse(work === undefined ? faults : faults.map((one) => ({ ...one, work, field: 'filename' })));
  }

  /** People may be offline for long; each try is cheap. */
  #patience = { retryForMs: 3_600_000, onRetry: () => this.#set({ disconnected: true }) };
}

/** One for the page: it goes on while people look at other pages. */
let run: Run | undefined;
export const theRun = () => {
  run ??= new Run();
  return run;
};
