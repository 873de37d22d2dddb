import { encodeGlobalID } from '@pothos/plugin-relay';
import type { Address } from '@srr-gateway/common/address';
import { encodeCursor } from '../../events/cursor.ts';
import type { IssuanceRow } from '../../issuance/flow.ts';
import type { Fault } from '../../model/errors.ts';
import { type EventType, type EventTypeName, eventTypeInfo } from '../../model/event-type.ts';
import { afterMiningFailed, afterNotDeployed } from '../../model/mining-failed.ts';
import type { EventRow } from '../../store/tables.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { IssuanceEntry } from './issuance-entry.ts';
import { recordOfEvent } from './record-source.ts';
import { Collection, IssuanceRef, SRR } from './refs.ts';
import { UserError } from './user-error.ts';

export const EventTypeEnum = builder.enumType('EventType', {
  description: 'The type of an event: what happened.',
  values: Object.fromEntries(
    Object.entries(eventTypeInfo).map(([type, { description }]) => [type, { description }]),
  ) as Record<EventType, { description: string }>,
});

const EventSourceEnum = builder.enumType('EventSource', {
  description: 'The source of an event.',
  values: {
    WEBHOOK: { description: 'The issuance service reported it by webhook.' },
    SUBGRAPH: { description: 'The gateway found it in the subgraph, because no webhook had reported it.' },
    RESPONSE: { description: 'The issuance service reported it in its answer to a request of the gateway.' },
    GATEWAY: { description: 'The gateway did it itself.' },
  } as const,
});

export const EventInterface = builder.interfaceRef<EventRow>('Event').implement({
  description:
    'An event about the issuer’s records, issuances, collections or webhook endpoints, from a webhook, the subgraph, an answer of the issuance service or the gateway itself. Each outcome is one event.',
  resolveType: (event) => typeNameOf(event),
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'The id of this event. It never changes.',
      resolve: (event) => encodeCursor(event.issuer, event.cursor),
    }),
    cursor: t.string({
      nullable: false,
      description: 'The position of this event in the log. Pass it as "after" to continue from here.',
      resolve: (event) => encodeCursor(event.issuer, event.cursor),
    }),
    type: t.field({
      type: EventTypeEnum,
      nullable: false,
      description: 'The type of this event.',
      resolve: knownType,
    }),
    source: t.field({
      type: EventSourceEnum,
      nullable: false,
      description: 'The source of this event.',
      resolve: (event) => event.source,
    }),
    receivedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the gateway stored this event.',
      resolve: (event) => event.received_at,
    }),
    raw: t.field({
      type: 'JSON',
      nullable: false,
      description:
        'The webhook’s own entry, unknown fields included; empty after KEEP_EVENTS_DAYS (default: a year), except for UNRECOGNIZED events. For an event from another source, the ids and any error.',
      resolve: (event) => event.raw,
    }),
  }),
});

/** The GraphQL type that shows an event. */
export const typeNameOf = (event: EventRow): EventTypeName => eventTypeInfo[knownType(event)].name;

/** The type of an event. During an upgrade a newer replica may store types that this one does not know. */
function knownType({ type }: EventRow): EventType {
  return type in eventTypeInfo ? type : 'UNRECOGNIZED';
}

/** What the GraphQL types of all events have in common. */
const optionsOf = (type: EventType) => ({
  interfaces: [EventInterface],
  description: eventTypeInfo[type].description,
});

/** The error of a failed outcome, from the service's response or a delivery. */
function failure(event: EventRow): Fault {
  const serviceError = event.raw.error as Fault | undefined;
  if (event.source === 'RESPONSE' && serviceError) return serviceError;
  return {
    code: event.source === 'RESPONSE' ? 'SRR_NOT_CREATED' : 'MINING_FAILED',
    message: `The service reports that this failed. ${adviceFor(event)}`,
    ...(event.external_id !== null && { externalId: event.external_id }),
    ...(event.message !== null && { upstreamMessage: event.message }),
  };
}

function adviceFor({ type, source }: EventRow): string {
  if (type === 'COLLECTION_FAILED') return afterNotDeployed;
  return source === 'RESPONSE' ? 'Issue the record again under a new requestId.' : afterMiningFailed;
}

/**
 * The entry of an event. Older events have no link to it. They are matched by externalId, which is unique, else by
 * token, which a failed record and its reissue share.
 */
const entryOf = async (event: EventRow, _args: unknown, context: Context) => {
  const { entryAt, entryOfToken, entryOfExternalId } = context.loaders.issuances;
  if (event.issuance_id !== null && event.entry_index !== null)
    return entryAt.load({ issuanceId: event.issuance_id, index: event.entry_index });
  if (event.external_id !== null) return entryOfExternalId.load(event.external_id);
  if (event.token_id === null) return null;
  return entryOfToken.load({ tokenId: event.token_id, collection: event.collection_address });
};

const SRRIssued = builder.objectRef<EventRow>('SRRIssued').implement({
  ...optionsOf('SRR_ISSUED'),
  fields: (t) => ({
    externalId: t.exposeString('external_id', {
      description: 'The issuer’s own reference of the record. Null when the event does not name it.',
    }),
    srr: t.field({
      type: SRR,
      nullable: false,
      description:
        'The record. Its fields from the subgraph wait until it is indexed, at most until INDEX_WAIT after the event.',
      resolve: (event, _args, context) => recordOfEvent(event, context),
    }),
    entry: t.field({
      type: IssuanceEntry,
      description:
        'The issuance entry that this event settled. Null when the issuer has no such entry at this gateway.',
      resolve: entryOf,
    }),
  }),
});

const SRRFailed = builder.objectRef<EventRow>('SRRFailed').implement({
  ...optionsOf('SRR_FAILED'),
  fields: (t) => ({
    externalId: t.exposeString('external_id', {
      description: 'The issuer’s own reference of the record. Null when the event does not name it.',
    }),
    error: t.field({
      type: UserError,
      nullable: false,
      description:
        'Why the record failed. upstreamMessage has the issuance service’s own words, from its webhook or its answer, when it gave any.',
      resolve: failure,
    }),
    entry: t.field({
      type: IssuanceEntry,
      description:
        'The issuance entry that this event settled. Null when the issuer has no such entry at this gateway.',
      resolve: entryOf,
    }),
  }),
});

const CollectionCreated = builder.objectRef<EventRow>('CollectionCreated').implement({
  ...optionsOf('COLLECTION_CREATED'),
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      nullable: false,
      description: 'The address of the collection’s contract.',
      resolve: (event) => event.collection_address as string,
    }),
    collection: t.field({
      type: Collection,
      description:
        'The collection. This field waits until the subgraph has indexed it, at most until INDEX_WAIT after the event, and is null when the subgraph still does not have it.',
      resolve: ({ collection_address: address, received_at }, _args, { loaders }) =>
        loaders.reads.collectionOfDeployed(address as Address, received_at),
    }),
  }),
});

const CollectionFailed = builder.objectRef<EventRow>('CollectionFailed').implement({
  ...optionsOf('COLLECTION_FAILED'),
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      description: 'The address that the contract would have had. Null when it is not known.',
      resolve: (event) => event.collection_address,
    }),
    error: t.field({
      type: UserError,
      nullable: false,
      description:
        'Why the collection failed: the error of its CollectionCreation, or else what the webhook reported.',
      resolve: async (event, _args, { services }) => {
        const { issuer, collection_address: address } = event;
        const row = address && (await services.issuances.collections.reads.byAddress(issuer, address));
        return row?.error ?? failure(event);
      },
    }),
  }),
});

const transfer = (type: EventType, record: string) =>
  builder.objectRef<EventRow>(eventTypeInfo[type].name).implement({
    ...optionsOf(type),
    fields: (t) => ({
      srr: t.field({
        type: SRR,
        description: record,
        resolve: (event, _args, context) => (event.token_id === null ? null : recordOfEvent(event, context)),
      }),
    }),
  });
transfer(
  'TRANSFER_RESERVED',
  'The record as it is now, from the subgraph. Null when the delivery named no token.',
);
transfer(
  'TRANSFER_COMPLETED',
  'The record. Its fields from the subgraph wait until the transfer is indexed, at most until INDEX_WAIT after the event. Null when the delivery named no token.',
);

builder.objectRef<EventRow>('IssuanceRejected').implement({
  ...optionsOf('ISSUANCE_REJECTED'),
  fields: (t) => ({
    requestId: t.string({
      nullable: false,
      description: 'The requestId of the issuance.',
      resolve: (event) => String(event.raw.requestId),
    }),
    error: t.field({
      type: UserError,
      nullable: false,
      description: 'Why the issuance was rejected, as Issuance.error says.',
      resolve: (event) => event.raw.error as Fault,
    }),
    issuance: t.field({
      type: IssuanceRef,
      nullable: false,
      description: 'The issuance as it is now.',
      resolve: (event, _args, { loaders }) =>
        loaders.issuances.byId.load(event.issuance_id as string) as Promise<IssuanceRow>,
    }),
  }),
});

builder.objectRef<EventRow>('WebhookEndpointDisabled').implement({
  ...optionsOf('WEBHOOK_ENDPOINT_DISABLED'),
  fields: (t) => ({
    webhookEndpoint: t.id({
      nullable: false,
      description: 'The global id of the endpoint. It may have been deleted since.',
      resolve: (event) => encodeGlobalID('WebhookEndpoint', String(event.raw.webhookEndpoint ?? '')),
    }),
    message: t.string({
      nullable: false,
      description: 'Since when the endpoint has failed, and its last answer.',
      resolve: (event) => event.message ?? '',
    }),
  }),
});

builder.objectRef<EventRow>('UnrecognizedEvent').implement({
  ...optionsOf('UNRECOGNIZED'),
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: 'The type of the delivery as the issuance service named it; "untyped" when it named none.',
    }),
  }),
});

export const MiningOutcome = builder.unionType('MiningOutcome', {
  description: 'The outcome of a record or collection: minted or deployed, or failed.',
  types: [SRRIssued, SRRFailed, CollectionCreated, CollectionFailed],
  resolveType: (event) => typeNameOf(event as EventRow) as never,
});
