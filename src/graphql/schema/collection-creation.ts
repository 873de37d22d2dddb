import type { CollectionCreationRow } from '../../issuance/collections/creation.ts';
import { type Fault, GatewayError } from '../../model/errors.ts';
import { isUuid } from '../../model/uuid.ts';
import { builder } from './builder.ts';
import { collectionByAddress } from './collection.ts';
import { EntryStatusEnum, OutcomeSourceEnum } from './issuance-entry.ts';
import { Collection } from './refs.ts';
import { UserError } from './user-error.ts';

/** After this time the gateway usually knows the outcome of a call whose answer was lost. */
const askAgainSeconds = 5;

/** The error of a creation without an address: the reason, and what to do. */
export function whyNoAddress(row: CollectionCreationRow): Fault {
  if (row.error) return row.error;
  const { request_id: key, salt, sent, last_fault: fault } = row;
  const what =
    sent > 0
      ? 'The service has not returned the address of this collection yet. It may be under way, and the gateway is finding out'
      : 'The service has not taken the request yet, and the gateway goes on trying';
  return {
    code: fault && fault.code !== 'UPSTREAM_TIMEOUT' ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_TIMEOUT',
    message: `${what}. Query collectionCreation(requestId: ${JSON.stringify(key)}) again in ${askAgainSeconds} seconds. Its salt is ${salt}.`,
    ...(fault?.upstreamMessage !== undefined && { upstreamMessage: fault.upstreamMessage }),
  };
}

const CollectionCreationRef = builder.objectRef<CollectionCreationRow>('CollectionCreation');
export const CollectionCreation = builder.node(CollectionCreationRef, {
  id: { description: 'The global id of this creation. It never changes.', resolve: (row) => row.id },
  authScopes: { read: true, issue: true },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'salt_free' in value,
  description:
    'One createCollection call, from the gateway’s database. The gateway works on it until the collection is deployed or has failed.',
  loadOne: async (id, { caller, services }) =>
    caller.kind === 'issuer' && isUuid(id)
      ? ((await services.issuances.collections.reads.byId(caller.issuer, id)) ?? null)
      : null,
  fields: (t) => ({
    requestId: t.exposeString('request_id', {
      nullable: false,
      description:
        'The idempotency key of the call, stored for ever. The gateway makes one when the caller gives none.',
    }),
    salt: t.string({
      nullable: false,
      description:
        'The salt that decides the contract address, in lower case. This field is an error for creations from before the gateway stored salts.',
      resolve: ({ salt }) => {
        if (salt !== null) return salt;
        throw new GatewayError({
          code: 'NOT_FOUND',
          message:
            'This collection was created before the gateway stored salts. The subgraph’s Collection has its salt.',
        });
      },
    }),
    address: t.field({
      type: 'Address',
      nullable: false,
      description:
        'The contract address, which the issuance service returns before the contract is deployed. Until it is known this field is an error that says when to ask again; a refused creation never has one.',
      resolve: (row) => {
        if (row.address !== null) return row.address;
        throw new GatewayError(whyNoAddress(row));
      },
    }),
    name: t.exposeString('name', {
      nullable: false,
      description: 'The name of the collection, as given in the call.',
    }),
    symbol: t.exposeString('symbol', {
      nullable: false,
      description: 'The ERC-721 symbol of the collection, as given in the call.',
    }),
    status: t.field({
      type: EntryStatusEnum,
      nullable: false,
      description:
        'The status of the creation: PENDING until the issuance service has answered, WAITING_FOR_MINING once it has accepted, ISSUED once deployed, FAILED when refused or not deployed.',
      resolve: (row) => row.status,
    }),
    outcomeSource: t.field({
      type: OutcomeSourceEnum,
      description: 'The source of the status. Null while the outcome is not known.',
      resolve: (row) => row.outcome_source,
    }),
    error: t.field({
      type: UserError,
      description: 'Why the creation failed. Null unless its status is FAILED.',
      resolve: (row) => row.error,
    }),
    collection: t.field({
      type: Collection,
      description: 'The deployed collection, read from the subgraph. Null until the subgraph has indexed it.',
      resolve: (row, _args, context, info) => row.address && collectionByAddress(row.address, context, info),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When createCollection was called.',
      resolve: (row) => row.created_at,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the status last changed.',
      resolve: (row) => row.updated_at,
    }),
  }),
});
