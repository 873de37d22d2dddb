import type { PageArgs } from '../../catalog/catalog.ts';
import type { WebhookAttempt, WebhookDeliveryStatus } from '../../model/webhook.ts';
import { type DeliveryRow, messageId } from '../../webhooks/webhooks.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { forwardConnection, forwardSize, rowCursors } from './page.ts';

export const WebhookDeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'The status of a webhook delivery.',
  values: {
    PENDING: {
      description: 'The delivery has failed so far, or redeliver was called. It will be sent again.',
    },
    DELIVERED: { description: 'The endpoint answered 2xx.' },
    FAILED: {
      description:
        'The delivery was not accepted in WEBHOOK_RETRY_FOR (three days by default), or not before the endpoint changed its types. redeliver sends it again.',
    },
  } as const,
});

const WebhookAttemptType = builder.objectRef<WebhookAttempt>('WebhookAttempt').implement({
  description: 'One request to a webhook endpoint, and its answer.',
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the request was sent.',
      resolve: ({ at }) => new Date(at),
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: false,
      description: 'How long the request took, in milliseconds.',
    }),
    status: t.exposeInt('status', { description: 'The HTTP status. Null when no answer came.' }),
    excerpt: t.exposeString('excerpt', {
      description: 'The first 300 bytes of the answer. Null when there were none.',
    }),
    error: t.exposeString('error', { description: 'Why no answer came. Null when one did.' }),
  }),
});

export const WebhookDelivery = builder.objectRef<DeliveryRow>('WebhookDelivery').implement({
  description:
    'An event that was sent to a webhook endpoint, or a test. Kept for KEEP_DELIVERIES_DAYS (default: 30 days).',
  authScopes: { webhooks: true },
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false, description: 'The id of this delivery, for redeliver.' }),
    webhookId: t.string({
      nullable: false,
      description:
        'The header webhook-id. It is the same in each attempt, so that a receiver can recognise a repeat.',
      resolve: ({ id }) => messageId(id),
    }),
    type: t.exposeString('type', {
      nullable: false,
      description: 'The type in the body: that of the event, or TEST.',
    }),
    status: t.field({
      type: WebhookDeliveryStatusEnum,
      nullable: false,
      description: 'The status of the delivery.',
      resolve: ({ status }) => status,
    }),
    attempts: t.field({
      type: [WebhookAttemptType],
      nullable: { list: false, items: false },
      description: 'The latest 30 attempts, oldest first.',
      resolve: ({ attempts }) => attempts,
    }),
    attemptCount: t.int({
      nullable: false,
      description: 'The number of all attempts.',
      resolve: ({ attempt_count: count }) => count,
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      description:
        'When the delivery is sent again. Null once it is settled, and while it still holds up later events.',
      resolve: ({ next_at: next }) => next,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the first attempt was stored.',
      resolve: ({ created_at: at }) => at,
    }),
    deliveredAt: t.field({
      type: 'DateTime',
      description: 'When the endpoint last accepted the delivery. Null when it never did.',
      resolve: ({ delivered_at: at }) => at,
    }),
  }),
});

export const DeliveryConnection = builder.connectionObject(
  { type: WebhookDelivery, name: 'WebhookDeliveryConnection' },
  builder.edgeObject({ type: WebhookDelivery, name: 'WebhookDeliveryEdge' }),
);

const cursors = rowCursors('webhook-delivery');

/** A page of an endpoint's deliveries. */
export async function deliveriesOf(
  endpointId: string,
  { status, ...list }: PageArgs & { status?: WebhookDeliveryStatus | null | undefined },
  { services: { webhooks } }: Context,
) {
  const { after } = list;
  const page = await webhooks.deliveries(endpointId, {
    first: forwardSize(list),
    after: cursors.read(after),
    status: status ?? undefined,
  });
  return forwardConnection(page, after, cursors.of);
}
