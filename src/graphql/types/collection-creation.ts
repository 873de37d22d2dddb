import type { CollectionCreationRow } from '../../issuance/collections/creation.ts';
import { type Fault, GatewayError } from '../../model/errors.ts';
import { isUuid } from '../../model/uuid.ts';
import { builder } from '../builder.ts';
import { Collection, collectionByAddress } from './collection.ts';
import { EntryStatusEnum, OutcomeSourceEnum } from './issuance-entry.ts';
import { UserError } from './user-error.ts';

/** Most answers that are lost are found out by then. */
const askAgainSeconds = 5;

/** Why the address of a creation is not known, and what to do. */
export function whyNoAddress(row: CollectionCreationRow): Fault {
  if (row.error) return row.error;
  const { request_id: key, salt, sent, last_fault: fault } = row;
  const what =
    sent > 0
      ? 'The service has not told the address of this collection yet; it may be under way, and the gateway is finding out'
      : 'The service cannot be asked for this collection at the moment; nothing was sent yet, and the gateway goes on trying';
  return {
    code: fault && fault.code !== 'UPSTREAM_TIMEOUT' ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_TIMEOUT',
    message: `${what}. Ask collectionCreation(requestId: ${JSON.stringify(key)}) again in ${askAgainSeconds} seconds. Its salt is ${salt}.`,
    ...(fault?.upstreamMessage !== undefined && { upstreamMessage: fault.upstreamMessage }),
  };
}

const CollectionCreationRef = builder.objectRef<CollectionCreationRow>('CollectionCreation');
export const CollectionCreation = builder.node(CollectionCreationRef, {
  id: { description: 'The id of this creation, the same for ever.', resolve: (row) => row.id },
  authScopes: { read: true, issue: true },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'salt_free' in value,
  description:
    'One createCollection call, carried on by the gateway until the collection is deployed or has failed.',
  loadOne: async (id, { caller, issuances }) =>
    caller.kind === 'issuer' && isUuid(id)
      ? ((await issuances.collections.reads.byId(caller.issuer, id)) ?? null)
      : null,
  fields: (t) => ({
    requestId: t.exposeString('request_id', {
      nullable: false,
      description:
        'The idempotency key of the call, kept for ever. The gateway made it when the caller gave none.',
    }),
    salt: t.string({
      nullable: false,
      description:
        'The salt that decides the address, in lower case. An error for a few creations from before the gateway kept it.',
      resolve: ({ salt }) => {
        if (salt !== null) return salt;
        throw new GatewayError({
          code: 'NOT_FOUND',
          message:
            'This collection was created before the gateway kept salts. Its contract in the index has it.',
        });
      },
    }),
    address: t.field({
      type: 'Address',
      nullable: false,
      description:
        'The address of the contract, which the service tells before it is deployed. While its answer is lost this field is an error that says when to ask again; a creation that was refused has none.',
      resolve: (row) => {
        if (row.address !== null) return row.address;
        throw new GatewayError(whyNoAddress(row));
      },
    }),
    name: t.exposeString('name', { nullable: false, description: 'The name that was asked for.' }),
    symbol: t.exposeString('symbol', { nullable: false, description: 'The symbol that was asked for.' }),
    status: t.field({
      type: EntryStatusEnum,
      nullable: false,
      description:
        'PENDING until the service has answered, WAITING_FOR_MINING once it has accepted, ISSUED once deployed, FAILED when it was refused or not deployed.',
      resolve: (row) => row.status,
    }),
    outcomeSource: t.field({
      type: OutcomeSourceEnum,
      description: 'How the outcome was learned; null while there is none.',
      resolve: (row) => row.outcome_source,
    }),
    error: t.field({
      type: UserError,
      description: 'Why it failed; null while it has not.',
      resolve: (row) => row.error,
    }),
    collection: t.field({
      type: Collection,
      description: 'The contract, read from the index; null until the index has it.',
      resolve: (row, _args, context) => row.address && collectionByAddress(row.address, context),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was asked for.',
      resolve: (row) => row.created_at,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When its status last changed.',
      resolve: (row) => row.updated_at,
    }),
  }),
});
