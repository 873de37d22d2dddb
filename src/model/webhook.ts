/** Statuses of an endpoint. A DISABLED one gets nothing until it is enabled again. */
export const webhookEndpointStatuses = ['ENABLED', 'FAILING', 'DISABLED'] as const;
export type WebhookEndpointStatus = (typeof webhookEndpointStatuses)[number];

/** PENDING: it will be sent again. FAILED: it will not, unless somebody requests that. */
export type WebhookDeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED';

/** One request to an endpoint, as it is stored and shown. */
export interface WebhookAttempt {
  /** ISO 8601. */
  at: string;
  durationMs: number;
  /** The HTTP status; null without an answer. */
  status: number | null;
  /** The beginning of the answer's body. */
  excerpt: string | null;
  /** Why there is no answer. */
  error: string | null;
}
