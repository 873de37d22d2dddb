import { requireIssuer } from '../../access/caller.ts';
import type { CollectionCreationRow } from '../../issuance/collections/creation.ts';
import { type Fault, GatewayError } from '../../model/errors.ts';
import { isUuid } from '../../model/uuid.ts';
import { builder } from './builder.ts';
import { CollectionCreation, whyNoAddress } from './collection-creation.ts';
import { databaseText } from './database-text.ts';
import { idOf } from './relay-options.ts';
import { userErrorsField } from './user-error.ts';
import { orUserErrors } from './user-errors.ts';

const CreateCollectionInput = builder.inputType('CreateCollectionInput', {
  description: 'The input of createCollection.',
  fields: (t) => ({
    requestId: t.string({
      description:
        'The idempotency key, of at most 255 characters, stored for ever: the same key with the same input returns the existing creation, and with other input it is refused. The gateway makes one when it is absent.',
    }),
    name: t.string({ required: true, description: 'The name of the collection, stored on the contract.' }),
    symbol: t.string({ required: true, description: 'The ERC-721 symbol, stored on the contract.' }),
    salt: t.string({
      description:
        'The salt that decides the contract address: 0x and 64 hex digits. The gateway draws one when it is absent. A salt works only once, so sending it again never makes a second collection.',
    }),
  }),
});

interface Payload {
  collection: CollectionCreationRow | null;
  userErrors: readonly Fault[];
}

const CreateCollectionPayload = builder.objectRef<Payload>('CreateCollectionPayload').implement({
  description: 'The result of createCollection.',
  fields: (t) => ({
    collection: t.field({
      type: CollectionCreation,
      description:
        'The creation, once the issuance service has returned its address. Null when there are userErrors: either nothing was created, or the service has not answered yet and the gateway goes on; the error says which.',
      resolve: ({ collection }) => collection,
    }),
    userErrors: t.field(
      userErrorsField(
        'Why the collection was not created, or why its address is not known yet. Empty on success.',
      ),
    ),
  }),
});

/** The payload for a creation. @throws GatewayError while its address is unknown, because `address` is never null. */
function payloadOf(row: CollectionCreationRow): { collection: CollectionCreationRow } {
  if (row.address === null) throw new GatewayError(whyNoAddress(row));
  return { collection: row };
}

builder.mutationField('createCollection', (t) =>
  t.field({
    type: CreateCollectionPayload,
    nullable: false,
    authScopes: { issue: true },
    description:
      'Deploys a collection contract that the issuer owns. The gateway stores the call before it sends it, and works on it until the outcome is known, which becomes an event. Scope: issue.',
    args: {
      input: t.arg({ type: CreateCollectionInput, required: true, description: 'The collection to create.' }),
    },
    resolve: (_root, { input }, context) =>
      orUserErrors<{ collection: CollectionCreationRow | null }, { collection: null }>(
        async () =>
          payloadOf(
            await context.services.issuances.collections.create(
              requireIssuer(context).credentials,
              {
                requestId: input.requestId ?? undefined,
                name: input.name,
                symbol: input.symbol,
                salt: input.salt ?? undefined,
              },
              context.signal,
            ),
          ),
        { collection: null },
      ),
  }),
);

builder.queryField('collectionCreation', (t) =>
  t.field({
    type: CollectionCreation,
    authScopes: { read: true },
    description:
      'Fetches one createCollection call of the issuer, by exactly one of id and requestId. Null when there is none. Scope: read.',
    args: {
      id: t.arg.id({ description: 'The global id of the creation.' }),
      requestId: t.arg.string({ description: 'The idempotency key that createCollection was called with.' }),
    },
    resolve: async (_root, { id, requestId: key }, context) => {
      const { issuer } = requireIssuer(context);
      const requestId = databaseText(key, ['requestId']);
      const { reads } = context.services.issuances.collections;
      if (id != null && requestId === undefined) {
        const rowId = idOf('CollectionCreation', id, ['id']);
        return isUuid(rowId) ? ((await reads.byId(issuer, rowId)) ?? null) : null;
      }
      if (requestId !== undefined && id == null) return (await reads.byRequestId(issuer, requestId)) ?? null;
      throw new GatewayError({ code: 'INVALID_INPUT', message: 'Give exactly one of id and requestId.' });
    },
  }),
);
