import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing/span.ts';

/** What the current work is for. Every log line written meanwhile has it. */
export interface WorkContext {
  /** The HTTP request's id, as in `X-Request-Id`; not the `requestId` of an issuance. */
  requestId?: string;
  issuanceId?: string;
  /** The id of a collection's creation. */
  collectionCreation?: string;
  /** The current span, while tracing is on. */
  span?: Span;
}

const underWay = new AsyncLocalStorage<WorkContext>();
const nobody: WorkContext = {};

/** Runs `run` in the context of `work` only: a job may start in the middle of an unrelated request. */
export function runWith<T>(work: WorkContext, run: () => T): T {
  return underWay.run(work, run);
}

/** Runs `run` without a context: for what outlives the work that starts it, or serves others too. */
export function runDetached<T>(run: () => T): T {
  return underWay.run(nobody, run);
}

/** The context of the current work; empty outside any. */
export function currentContext(): WorkContext {
  return underWay.getStore() ?? nobody;
}
