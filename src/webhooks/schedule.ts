import { backoff } from '@srr-gateway/common/time';
import type { WebhookConfig } from '../config/config.ts';
import type { WebhookEndpointStatus } from '../model/webhook.ts';

/**
 * What an answer means for the order of deliveries. REFUSED: the endpoint works but refuses this event, so later ones
 * need not wait. UNANSWERED: it may accept this event soon. GONE: it wants no events.
 */
export type Answer = 'ACCEPTED' | 'REFUSED' | 'UNANSWERED' | 'GONE';

/** Timeouts and limits by proxies say nothing about the event. */
const passing = [408, 425, 429];

/** The meaning of an HTTP status. A redirect is not followed, because its target was not challenged. */
export function answerOf(status: number | null): Answer {
  if (status === null) return 'UNANSWERED';
  if (status >= 200 && status < 300) return 'ACCEPTED';
  // The specification of Standard Webhooks: a receiver that answers 410 wants no more.
  if (status === 410) return 'GONE';
  return status >= 400 && status < 500 && !passing.includes(status) ? 'REFUSED' : 'UNANSWERED';
}

type Times = Omit<WebhookConfig, 'privateNetworks'>;

/** Refusals in a row after which an endpoint is assumed to refuse everything, and gets pauses. */
const refusalsInARow = 3;

/** The consequences of one more failure of an endpoint. */
export interface Failure {
  status: WebhookEndpointStatus;
  /** Whether the delivery is retried by its own schedule, so that later ones are not held up. */
  setAside: boolean;
  pauseMs: number;
}

/** `attempts`: consecutive failures of the endpoint, this one included. Times are in milliseconds. */
export function onFailure(
  answer: Answer,
  failed: { attempts: number; failingForMs: number; heldForMs: number; retryAfterMs: number | undefined },
  times: Times,
): Failure {
  const { attempts, failingForMs, heldForMs, retryAfterMs = 0 } = failed;
  // The first failure after a quiet time proves little: the endpoint may be restarting.
  const isLasting =
    heldForMs >= Math.min(times.holdMs, times.disableAfterMs) ||
    (answer === 'REFUSED' && attempts >= refusalsInARow);
  if (answer === 'GONE' || (failingForMs >= times.disableAfterMs && isLasting))
    return { status: 'DISABLED', setAside: false, pauseMs: 0 };
  const failing = failingForMs >= times.failingAfterMs;
  const setAside = answer === 'REFUSED' || heldForMs >= times.holdMs;
  const goesOn = answer === 'REFUSED' && attempts < refusalsInARow;
  // A partner that is back is noticed within ten minutes, and within an hour after a long outage.
  const maxMs = failing ? times.failingAfterMs : times.failingAfterMs / 6;
  const pauseMs = goesOn ? 0 : backoff(attempts - 1, { firstMs: times.retryFirstMs, maxMs });
  return {
    status: failing ? 'FAILING' : 'ENABLED',
    setAside,
    pauseMs: Math.max(pauseMs, Math.min(retryAfterMs, times.failingAfterMs)),
  };
}

/**
 * Milliseconds until a delivery that was set aside is retried after `attempts`; undefined when its time is over. By
 * default some twenty attempts: the pauses double up to six hours.
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
