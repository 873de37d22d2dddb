import { encodeGlobalID } from '@pothos/plugin-relay';
import { requireIssuer } from '../../access/caller.ts';
import { markSecret } from '../../lib/send.ts';
import { type Fault, GatewayError } from '../../model/errors.ts';
import { pageOf } from '../../model/page.ts';
import { isUuid } from '../../model/uuid.ts';
import type { EndpointRow } from '../../webhooks/webhooks.ts';
import type { Context, ServerContext } from '../execution/context.ts';
import { builder } from './builder.ts';
import { EventTypeEnum } from './event.ts';
import { forwardConnection, forwardOnly, forwardSize, rowCursors } from './page.ts';
import { idOf } from './relay-options.ts';
import { userErrorsField } from './user-error.ts';
import { orUserErrors } from './user-errors.ts';
import { WebhookEndpoint, WebhookEndpointStatusEnum } from './webhook-endpoint.ts';

const EndpointConnection = builder.connectionObject(
  { type: WebhookEndpoint, name: 'WebhookEndpointConnection' },
  builder.edgeObject({ type: WebhookEndpoint, name: 'WebhookEndpointEdge' }),
);

const cursors = rowCursors('webhook-endpoint');

builder.queryField('webhookEndpoints', (t) =>
  t.connection(
    {
      type: WebhookEndpoint,
      nullable: false,
      authScopes: { webhooks: true },
      description: `The issuer’s webhook endpoints, oldest first. ${forwardOnly} Scope: webhooks.`,
      resolve: async (_root, list, context) => {
        const { after } = list;
        const size = forwardSize(list);
        const all = await context.services.webhooks.endpoints(requireIssuer(context).issuer);
        const place = cursors.read(after);
        // The endpoint of the cursor may be deleted by now.
        const left = place ? all.filter((row) => isAfter(row, place)) : all;
        return forwardConnection(pageOf(left, size), after, cursors.of);
      },
    },
    EndpointConnection,
  ),
);

const isAfter = ({ created_at, id }: EndpointRow, place: { createdAt: Date; id: string }): boolean =>
  created_at > place.createdAt || (created_at.getTime() === place.createdAt.getTime() && id > place.id);

interface EndpointPayload {
  webhookEndpoint: EndpointRow | null;
  secret: string | null;
  userErrors: readonly Fault[];
}

const endpointPayload = (name: string, mutation: string, whose: string, what: string) =>
  builder.objectRef<EndpointPayload>(name).implement({
    description: `The result of ${mutation}.`,
    fields: (t) => ({
      webhookEndpoint: t.field({
        type: WebhookEndpoint,
        description: 'The endpoint. Null when there are userErrors.',
        resolve: ({ webhookEndpoint }) => webhookEndpoint,
      }),
      secret: t.string({
        description: whose,
        resolve: ({ secret }, _args, { source }: Context & Partial<ServerContext>) => {
          // Compression would leak the secret through the length of the answer.
          if (secret !== null && source) markSecret(source.req);
          return secret;
        },
      }),
      userErrors: t.field(userErrorsField(`Why ${what}. Empty on success.`)),
    }),
  });

const noEndpoint = { webhookEndpoint: null, secret: null };

/** The row id in the global id of an endpoint. @throws GatewayError for an id of anything else. */
export function endpointId(globalId: string, name = 'id'): string {
  const id = idOf('WebhookEndpoint', globalId, ['input', name]);
  if (isUuid(id)) return id;
  throw new GatewayError({
    code: 'NOT_FOUND',
    message: 'There is no such webhook endpoint of this issuer.',
    path: ['input', name],
  });
}

const urlText =
  'The address that deliveries are POSTed to: https, on a public host, at port 443. It must answer 2xx to a signed delivery of type CHALLENGE at once.';
const secretText = 'whsec_ and 24 to 64 random bytes in base64';

const CreateInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'The input of createWebhookEndpoint.',
  fields: (t) => ({
    url: t.field({ type: 'URL', required: true, description: urlText }),
    types: t.field({
      type: [EventTypeEnum],
      description: 'The types of events to send. All types, those of later releases too, when it is absent.',
    }),
    description: t.string({ description: 'A name for people, of at most 500 characters.' }),
    secret: t.string({
      description: `The secret that signs deliveries, ${secretText}: a receiver that knows it beforehand can verify the CHALLENGE too. The gateway draws one when it is absent.`,
    }),
  }),
});

const CreatePayload = endpointPayload(
  'CreateWebhookEndpointPayload',
  'createWebhookEndpoint',
  'The secret that signs deliveries. It is shown here only, and never again. Null when there are userErrors.',
  'the endpoint was not created, and what the address answered to the challenge',
);

const UpdateInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'The input of updateWebhookEndpoint. What is absent stays as it is.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The global id of the endpoint.' }),
    url: t.field({ type: 'URL', description: urlText }),
    types: t.field({
      type: [EventTypeEnum],
      description:
        'The types of events to send from now on; null for all types. Waiting deliveries of other types become FAILED.',
    }),
    description: t.string({ description: 'A name for people, of at most 500 characters; null for none.' }),
    status: t.field({
      type: WebhookEndpointStatusEnum,
      description: 'ENABLED resumes deliveries at once where they stopped; DISABLED stops them.',
    }),
    rotateSecret: t.boolean({
      description:
        'Gives the endpoint a new secret. For 24 hours deliveries are signed with the old one too, both in webhook-signature. Another rotation within that time revokes the older secret at once.',
    }),
    secret: t.string({
      description: `The new secret for rotateSecret, ${secretText}. The gateway draws one when it is absent.`,
    }),
  }),
});

const UpdatePayload = endpointPayload(
  'UpdateWebhookEndpointPayload',
  'updateWebhookEndpoint',
  'The new secret after rotateSecret. It is shown here only, and never again. Null otherwise.',
  'the endpoint was not changed',
);

const DeleteInput = builder.inputType('DeleteWebhookEndpointInput', {
  description: 'The input of deleteWebhookEndpoint.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The global id of the endpoint.' }) }),
});

const DeletePayload = builder
  .objectRef<{ deletedId: string | null; userErrors: readonly Fault[] }>('DeleteWebhookEndpointPayload')
  .implement({
    description: 'The result of deleteWebhookEndpoint.',
    fields: (t) => ({
      deletedId: t.exposeID('deletedId', {
        description:
          'The global id of the endpoint that is gone, with its deliveries. Null when there are userErrors.',
      }),
      userErrors: t.field(userErrorsField('Why the endpoint was not deleted. Empty on success.')),
    }),
  });

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.field({
    type: CreatePayload,
    nullable: false,
    authScopes: { webhooks: true },
    description:
      'Creates a webhook endpoint: the issuer’s events from now on are sent to its address, signed by Standard Webhooks, each at least once and in the order of the log. The address must answer a challenge first. Scope: webhooks.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The endpoint to create.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors(async () => {
        const { row, secret } = await context.services.webhooks.manager.create(
          requireIssuer(context).issuer,
          input,
          context.signal,
        );
        return { webhookEndpoint: row, secret };
      }, noEndpoint),
  }),
  updateWebhookEndpoint: t.field({
    type: UpdatePayload,
    nullable: false,
    authScopes: { webhooks: true },
    description:
      'Changes a webhook endpoint, its secret, or whether anything is sent to it. Scope: webhooks.',
    args: {
      input: t.arg({ type: UpdateInput, required: true, description: 'The endpoint and its changes.' }),
    },
    resolve: (_root, { input: { id, ...changes } }, context) =>
      orUserErrors(async () => {
        const { row, secret } = await context.services.webhooks.manager.update(
          requireIssuer(context).issuer,
          endpointId(id),
          changes,
          context.signal,
        );
        return { webhookEndpoint: row, secret };
      }, noEndpoint),
  }),
  deleteWebhookEndpoint: t.field({
    type: DeletePayload,
    nullable: false,
    authScopes: { webhooks: true },
    description: 'Deletes a webhook endpoint with all its deliveries. Scope: webhooks.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'The endpoint to delete.' }) },
    resolve: (_root, { input }, context) =>
      orUserErrors(
        async () => {
          const id = endpointId(input.id);
          await context.services.webhooks.manager.remove(requireIssuer(context).issuer, id);
          return { deletedId: encodeGlobalID('WebhookEndpoint', id) };
        },
        { deletedId: null },
      ),
  }),
}));
