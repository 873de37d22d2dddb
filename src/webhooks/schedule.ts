import { backoff } from '@srr-gateway/common/time';
import type { WebhookConfig } from '../config/config.ts';
import type { WebhookEndpointStatus } from '../model/webhook.ts';

/**
 * What an attempt means for the order of deliveries. REFUSED: the endpoint works but does not accept this event, so
 * those behind it need not wait. UNANSWERED: it may accept this event in a moment. GONE: it wants no events at all.
 */
export type AttemptOutcome = 'ACCEPTED' | 'REFUSED' | 'UNANSWERED' | 'GONE';

/** Timeouts and limits by proxies say nothing about the event. */
const temporary = [408, 425, 429];

/** The outcome by HTTP status; null: no answer. A redirect counts as none, because its target was not challenged. */
export function outcomeOf(status: number | null): AttemptOutcome {
  if (status === null) return 'UNANSWERED';
  if (status >= 200 && status < 300) return 'ACCEPTED';
  // The specification of Standard Webhooks: a receiver that answers 410 wants no more.
  if (status === 410) return 'GONE';
  return status >= 400 && status < 500 && !temporary.includes(status) ? 'REFUSED' : 'UNANSWERED';
}

type Times = Omit<WebhookConfig, 'privateNetworks'>;

/** Refusals in a row after which an endpoint is taken to refuse everything, and gets pauses. */
const refusalsInARow = 3;

/** The state of an endpoint after one more failure. */
export interface Failure {
  status: WebhookEndpointStatus;
  /** Whether the delivery is retried on its own schedule, so that it does not block those behind it. */
  setAside: boolean;
  pauseMs: number;
}

/** `attempts`: consecutive failures of the endpoint, this one included. Times are in milliseconds. */
export function onFailure(
  outcome: AttemptOutcome,
  failed: { attempts: number; failingForMs: number; heldForMs: number; retryAfterMs: number | undefined },
  times: Times,
): Failure {
  const { attempts, failingForMs, heldForMs, retryAfterMs = 0 } = failed;
  // After a quiet time the first failure says little: the endpoint may be restarting.
  const isLasting =
    heldForMs >= Math.min(times.holdMs, times.disableAfterMs) ||
    (outcome === 'REFUSED' && attempts >= refusalsInARow);
  if (outcome === 'GONE' || (failingForMs >= times.disableAfterMs && isLasting))
    return { status: 'DISABLED', setAside: false, pauseMs: 0 };
  const failing = failingForMs >= times.failingAfterMs;
  const setAside = outcome === 'REFUSED' || heldForMs >= times.holdMs;
  const skipsPause = outcome === 'REFUSED' && attempts < refusalsInARow;
  // Notice that a partner is back within ten minutes, or within an hour after a long outage.
  const maxMs = failing ? times.failingAfterMs : times.failingAfterMs / 6;
  const pauseMs = skipsPause ? 0 : backoff(attempts - 1, { firstMs: times.retryFirstMs, maxMs });
  return {
    status: failing ? 'FAILING' : 'ENABLED',
    setAside,
    pauseMs: Math.max(pauseMs, Math.min(retryAfterMs, times.failingAfterMs)),
  };
}

/**
 * Milliseconds until a delivery that was set aside is sent again after `attempts`; undefined when `retryForMs` is over.
 * By default there are some twenty attempts: the pauses double up to six hours.
 */
export function nextRetry(
  {
    attempts,
    retriedForMs,
    retryAfterMs = 0,
  }: { attempts: number; retriedForMs: number; retryAfterMs?: number | undefined },
  { retryFirstMs, retryForMs, failingAfterMs }: Times,
): number | undefined {
  if (retriedForMs >= retryForMs) return undefined;
  const pauseMs = backoff(attempts - 1, { firstMs: retryFirstMs, maxMs: retryForMs / 12 });
  return Math.max(pauseMs, Math.min(retryAfterMs, failingAfterMs));
}
