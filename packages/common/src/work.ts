import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing/span.ts';

/** What the process is doing something for; every log line that is written meanwhile says it. */
export interface Work {
  /** Of the HTTP request, as `X-Request-Id` has it; no issuance's `requestId`. */
  requestId?: string;
  issuanceId?: string;
  /** While somebody traces. */
  span?: Span;
}

const underWay = new AsyncLocalStorage<Work>();
const nobody: Work = {};

/** Runs it for `work` and for nothing else, whoever began it: a job may be taken up in the middle of a request. */
export function workingFor<T>(work: Work, run: () => T): T {
  return underWay.run(work, run);
}

/** Runs what goes on after the work that began it, and for others as well. */
export function forNobody<T>(run: () => T): T {
  return underWay.run(nobody, run);
}

export function currentWork(): Work {
  return underWay.getStore() ?? nobody;
}

/** Makes each piece for `work`, whoever asks for it and when. */
export function piecesFor<T>(work: Work, pieces: AsyncIterable<T>): AsyncIterableIterator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  const made: AsyncIterableIterator<T> = {
    next: () => workingFor(work, () => iterator.next()),
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => made,
  };
  return made;
}
