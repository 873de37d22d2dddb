import { requireIssuer } from '../../access/caller.ts';
import { type Fault, GatewayError } from '../../model/errors.ts';
import { isUuid } from '../../model/uuid.ts';
import type { DeliveryRow } from '../../webhooks/webhooks.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { userErrorsField } from './user-error.ts';
import { orUserErrors } from './user-errors.ts';
import { WebhookDelivery } from './webhook-delivery.ts';
import { endpointId } from './webhook-operations.ts';

const TestInput = builder.inputType('SendTestDeliveryInput', {
  description: 'The input of sendTestDelivery.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The global id of the endpoint.' }) }),
});

const TestPayload = builder
  .objectRef<{ delivery: DeliveryRow | null; userErrors: readonly Fault[] }>('SendTestDeliveryPayload')
  .implement({
    description: 'The result of sendTestDelivery.',
    fields: (t) => ({
      delivery: t.field({
        type: WebhookDelivery,
        description: 'The test delivery, with the endpoint’s answer. Null when there are userErrors.',
        resolve: ({ delivery }) => delivery,
      }),
      userErrors: t.field(userErrorsField('Why no test was sent. Empty on success.')),
    }),
  });

const RedeliverInput = builder.inputType('RedeliverInput', {
  description: 'The input of redeliver: either delivery or failedSince.',
  fields: (t) => ({
    webhookEndpoint: t.id({ required: true, description: 'The global id of the endpoint.' }),
    delivery: t.id({
      description: 'The id of the delivery to send again, whatever its status. A test cannot be sent again.',
    }),
    failedSince: t.field({
      type: 'DateTime',
      description:
        'Sends again all FAILED deliveries that were first sent at this time or later and have a type that the endpoint wants.',
    }),
  }),
});

const RedeliverPayload = builder
  .objectRef<{ count: number; userErrors: readonly Fault[] }>('RedeliverPayload')
  .implement({
    description: 'The result of redeliver.',
    fields: (t) => ({
      count: t.exposeInt('count', {
        nullable: false,
        description: 'The number of deliveries that are sent again, each with all its retries.',
      }),
      userErrors: t.field(userErrorsField('Why nothing is sent again. Empty on success.')),
    }),
  });

const fault = (name: string, message: string) =>
  new GatewayError({ code: 'INVALID_INPUT', message, path: ['input', name] });

async function redeliver(
  input: {
    webhookEndpoint: string;
    delivery?: string | null | undefined;
    failedSince?: Date | null | undefined;
  },
  context: Context,
): Promise<number> {
  const { issuer } = requireIssuer(context);
  const endpoint = endpointId(input.webhookEndpoint, 'webhookEndpoint');
  const { delivery, failedSince } = input;
  if ((delivery == null) === (failedSince == null))
    throw fault('delivery', 'Give either delivery or failedSince.');
  if (failedSince != null)
    return context.services.webhooks.manager.redeliver(issuer, endpoint, { failedSince });
  const id = delivery as string;
  const count = isUuid(id) ? await context.services.webhooks.manager.redeliver(issuer, endpoint, { id }) : 0;
  if (count === 0) throw fault('delivery', 'There is no such delivery of an event to this endpoint.');
  return count;
}

builder.mutationFields((t) => ({
  sendTestDelivery: t.field({
    type: TestPayload,
    nullable: false,
    authScopes: { webhooks: true },
    description:
      'Sends a signed delivery of type TEST to a webhook endpoint at once, and returns its answer. Scope: webhooks.',
    args: { input: t.arg({ type: TestInput, required: true, description: 'The endpoint to test.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors(
        async () => ({
          delivery: await context.services.webhooks.manager.sendTest(
            requireIssuer(context).issuer,
            endpointId(input.id),
            context.signal,
          ),
        }),
        { delivery: null },
      ),
  }),
  redeliver: t.field({
    type: RedeliverPayload,
    nullable: false,
    authScopes: { webhooks: true },
    description:
      'Sends one delivery again, or all that failed since a time. They keep their webhook-id. Scope: webhooks.',
    args: { input: t.arg({ type: RedeliverInput, required: true, description: 'What to send again.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors(async () => ({ count: await redeliver(input, context) }), { count: 0 }),
  }),
}));
