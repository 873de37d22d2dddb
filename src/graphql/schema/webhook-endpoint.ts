import { requireIssuer } from '../../access/caller.ts';
import { eventTypes } from '../../model/event-type.ts';
import { isUuid } from '../../model/uuid.ts';
import type { EndpointRow } from '../../webhooks/webhooks.ts';
import { builder } from './builder.ts';
import { EventTypeEnum } from './event.ts';
import { forwardOnly } from './page.ts';
import {
  DeliveryConnection,
  deliveriesOf,
  WebhookDelivery,
  WebhookDeliveryStatusEnum,
} from './webhook-delivery.ts';

export const WebhookEndpointStatusEnum = builder.enumType('WebhookEndpointStatus', {
  description: 'Whether deliveries are sent to a webhook endpoint.',
  values: {
    ENABLED: { description: 'Deliveries are sent.' },
    FAILING: {
      description:
        'Every delivery has failed for WEBHOOK_FAILING_AFTER (one hour by default). One is tried about once an hour; the first that is accepted brings the endpoint back to ENABLED.',
    },
    DISABLED: {
      description:
        'Nothing is sent. The issuer disabled the endpoint, or it failed for WEBHOOK_DISABLE_AFTER (five days by default), or it answered 410. updateWebhookEndpoint with status ENABLED resumes where it stopped.',
    },
  } as const,
});

export const WebhookEndpoint = builder.node(builder.objectRef<EndpointRow>('WebhookEndpoint'), {
  id: {
    description: 'The global id of this endpoint.',
    resolve: ({ id }) => id,
  },
  authScopes: { webhooks: true },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'sealed_secret' in value,
  description: 'An address of a partner to which the issuer’s events are sent as signed webhooks.',
  loadOne: async (id, context) =>
    isUuid(id)
      ? ((await context.services.webhooks.endpoint(requireIssuer(context).issuer, id)) ?? null)
      : null,
  fields: (t) => ({
    url: t.field({
      type: 'URL',
      nullable: false,
      description: 'The address that deliveries are POSTed to.',
      resolve: ({ url }) => url,
    }),
    types: t.field({
      type: [EventTypeEnum],
      nullable: { list: false, items: false },
      description: 'The types of events that are sent. An endpoint without a choice gets all types.',
      resolve: ({ types }) => types ?? [...eventTypes],
    }),
    description: t.exposeString('description', {
      description: 'A name for people. Null when none was given.',
    }),
    status: t.field({
      type: WebhookEndpointStatusEnum,
      nullable: false,
      description: 'Whether deliveries are sent to it.',
      resolve: ({ status }) => status,
    }),
    failingSince: t.field({
      type: 'DateTime',
      description: 'The first failure since the last delivery that was accepted. Null when there is none.',
      resolve: ({ failing_since: since }) => since,
    }),
    configured: t.boolean({
      nullable: false,
      description:
        'Whether the endpoint is from the operator’s configuration. Only the status of such an endpoint can be changed here.',
      resolve: ({ configured }) => configured,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the endpoint was created. Events from before are not sent.',
      resolve: ({ created_at: at }) => at,
    }),
    deliveries: t.connection(
      {
        type: WebhookDelivery,
        nullable: false,
        description: `The deliveries to the endpoint, newest first. ${forwardOnly}`,
        args: {
          status: t.arg({
            type: WebhookDeliveryStatusEnum,
            description: 'Lists only deliveries of this status.',
          }),
        },
        resolve: ({ id }, args, context) => deliveriesOf(id, args, context),
      },
      DeliveryConnection,
    ),
  }),
});
