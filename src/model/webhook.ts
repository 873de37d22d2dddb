/** The status of an endpoint. A DISABLED one gets nothing until it is enabled again. */
export const webhookEndpointStatuses = ['ENABLED', 'FAILING', 'DISABLED'] as const;
export type WebhookEndpointStatus = (typeof webhookEndpointStatuses)[number];

/** PENDING: will be sent again. FAILED: will not, unless it is redelivered. */
const webhookDeliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

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
