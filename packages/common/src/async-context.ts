import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing/span.ts';

/** Context of the current work. Log lines have its ids. */
export interface WorkContext {
  /** The HTTP request's id, as in `X-Request-Id`; not the `requestId` of an issuance. */
  requestId?: string;
  issuanceId?: string;
  /** The id of a collection's creation. */
  collectionCreation?: string;
  /** The id of the webhook endpoint that is delivered to. */
  webhookEndpoint?: string;
  /** The current span, while tracing is on. */
  span?: Span;
}

const underWay = new AsyncLocalStorage<WorkContext>();
const nobody: WorkContext = {};

/**
 * Runs `run` in the context `work` instead of the present one, because a job may start during an unrelated request.
 */
export function runWith<T>(work: WorkContext, run: () => T): T {
  return underWay.run(work, run);
}

/** Runs `run` without a context, for work that outlives its caller or serves several. */
export function runDetached<T>(run: () => T): T {
  return underWay.run(nobody, run);
}

/** The context of the current work, or an empty one. */
export function currentContext(): WorkContext {
  return underWay.getStore() ?? nobody;
}
