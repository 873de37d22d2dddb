import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing/span.ts';

/** What the process is doing something for; every log line that is written meanwhile says it. */
export interface WorkContext {
  /** Of the HTTP request, as `X-Request-Id` has it; no issuance's `requestId`. */
  requestId?: string;
  issuanceId?: string;
  /** While somebody traces. */
  span?: Span;
}

const underWay = new AsyncLocalStorage<WorkContext>();
const nobody: WorkContext = {};

/** Runs it for `work` and for nothing else, whoever began it: a job may be taken up in the middle of a request. */
export function runWith<T>(work: WorkContext, run: () => T): T {
  return underWay.run(work, run);
}

/** Runs what goes on after the work that began it, and for others as well. */
export function runDetached<T>(run: () => T): T {
  return underWay.run(nobody, run);
}

export function currentContext(): WorkContext {
  return underWay.getStore() ?? nobody;
}

/** Makes each piece for `work`, whoever asks for it and when. */
export function bindIterable<T>(work: WorkContext, pieces: AsyncIterable<T>): AsyncIterableIterator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  const made: AsyncIterableIterator<T> = {
    next: () => runWith(work, () => iterator.next()),
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => made,
  };
  return made;
}
