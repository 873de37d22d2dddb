import { encodeCursor } from '../../events/cursor.ts';
import type { Fault } from '../../model/errors.ts';
import type { EventRow } from '../../store/tables.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { recordOfEvent } from '../record-source.ts';
import { Collection, collectionByAddress } from './collection.ts';
import { IssuanceEntry } from './issuance-entry.ts';
import { SRR } from './refs.ts';
import { UserError } from './user-error.ts';

export const EventTypeEnum = builder.enumType('EventType', {
  description: 'What happened.',
  values: {
    SRR_ISSUED: { description: 'A record was minted.' },
    SRR_FAILED: {
      description:
        'A record was refused, or accepted and not mined. SRR_ISSUED follows if it is minted after all.',
    },
    TRANSFER_RESERVED: { description: 'A transfer was reserved on chain.' },
    TRANSFER_COMPLETED: { description: 'A transfer ran; the record has another owner.' },
    COLLECTION_CREATED: { description: 'A collection contract was deployed.' },
    COLLECTION_FAILED: { description: 'A collection contract could not be deployed.' },
    UNRECOGNIZED: {
      description: 'A delivery that the gateway does not understand. It settles nothing; raw has all of it.',
    },
  } as const,
});

const EventSourceEnum = builder.enumType('EventSource', {
  description: 'How the gateway learned of it.',
  values: {
    WEBHOOK: { description: 'The service delivered it.' },
    SUBGRAPH: { description: 'The gateway found it in the index, because no delivery had told it.' },
    RESPONSE: { description: 'The service said it in its answer to a request of the gateway.' },
  } as const,
});

export const EventInterface = builder.interfaceRef<EventRow>('Event').implement({
  description:
    'Something that the gateway learned of the issuer’s records and collections: by a delivery, from the index, or from an answer of the service. Each outcome is told once.',
  resolveType: (event) => typeNames[event.type],
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'The same for ever.',
      resolve: (event) => encodeCursor(event.issuer, event.cursor),
    }),
    cursor: t.string({
      nullable: false,
      description: 'Its place in the log: give it as "after" to go on from here.',
      resolve: (event) => encodeCursor(event.issuer, event.cursor),
    }),
    type: t.field({
      type: EventTypeEnum,
      nullable: false,
      description: 'What happened.',
      resolve: (event) => event.type,
    }),
    source: t.field({
      type: EventSourceEnum,
      nullable: false,
      description: 'How the gateway learned of it.',
      resolve: (event) => event.source,
    }),
    receivedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the gateway stored it.',
      resolve: (event) => event.received_at,
    }),
    raw: t.field({
      type: 'JSON',
      nullable: false,
      description:
        'The delivery’s own entry, unknown fields included. Of what no delivery told: the ids, and the error if there is one. Empty once KEEP_EVENTS_DAYS have passed.',
      resolve: (event) => event.raw,
    }),
  }),
});

const typeNames = {
  SRR_ISSUED: 'SRRIssued',
  SRR_FAILED: 'SRRFailed',
  TRANSFER_RESERVED: 'TransferReserved',
  TRANSFER_COMPLETED: 'TransferCompleted',
  COLLECTION_CREATED: 'CollectionCreated',
  COLLECTION_FAILED: 'CollectionFailed',
  UNRECOGNIZED: 'UnrecognizedEvent',
} as const;

const concrete = { interfaces: [EventInterface] };

/** The error of a failed outcome: what the service answered, or what a delivery told of the mining. */
function failure(event: EventRow): Fault {
  const answered = event.raw.error as Fault | undefined;
  if (event.source === 'RESPONSE' && answered) return answered;
  return {
    code: event.source === 'RESPONSE' ? 'SRR_NOT_CREATED' : 'MINING_FAILED',
    message: 'The service reports that this failed. It may be sent again under a new reference.',
    ...(event.external_id !== null && { externalId: event.external_id }),
    ...(event.message !== null && { upstreamMessage: event.message }),
  };
}

/**
 * The entry that an event settled. Events from before that was recorded are matched by the reference, which
 * is one entry's, and only then by the token, which a record that is issued again shares with the failed one.
 */
const entryOf = async (event: EventRow, context: Context) => {
  const { entryAt, entryOfToken, entryOfExternalId } = context.fresh.issuances;
  if (event.issuance_id !== null && event.entry_index !== null)
    return entryAt.load({ issuanceId: event.issuance_id, index: event.entry_index });
  if (event.external_id !== null) return entryOfExternalId.load(event.external_id);
  if (event.token_id === null) return null;
  return entryOfToken.load({ tokenId: event.token_id, collection: event.collection_address });
};

const SRRIssued = builder.objectRef<EventRow>('SRRIssued').implement({
  ...concrete,
  description: 'A record was minted.',
  fields: (t) => ({
    externalId: t.exposeString('external_id', { description: 'The issuer’s reference.' }),
    srr: t.field({
      type: SRR,
      nullable: false,
      description: 'The record, as soon as the index has it; the wait is bounded (INDEX_WAIT).',
      resolve: (event, _args, context) => recordOfEvent(event, context),
    }),
    entry: t.field({
      type: IssuanceEntry,
      description: 'The issuer’s own entry that it settles.',
      resolve: entryFor,
    }),
  }),
});

const SRRFailed = builder.objectRef<EventRow>('SRRFailed').implement({
  ...concrete,
  description: 'A record could not be issued or mined.',
  fields: (t) => ({
    externalId: t.exposeString('external_id', { description: 'The issuer’s reference.' }),
    error: t.field({
      type: UserError,
      nullable: false,
      description:
        'Why it failed, in the service’s words where it gave any: from its delivery, or from its answer.',
      resolve: failure,
    }),
    entry: t.field({
      type: IssuanceEntry,
      description: 'The issuer’s own entry that it settles.',
      resolve: entryFor,
    }),
  }),
});

function entryFor(event: EventRow, _args: unknown, context: Context) {
  return entryOf(event, context);
}

const CollectionCreated = builder.objectRef<EventRow>('CollectionCreated').implement({
  ...concrete,
  description: 'A collection contract was deployed.',
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      nullable: false,
      description: 'Of the contract.',
      resolve: (event) => event.collection_address as string,
    }),
    collection: t.field({
      type: Collection,
      description: 'The contract, as soon as the index has it; the wait is bounded (INDEX_WAIT).',
      resolve: (event, _args, context) =>
        collectionByAddress(event.collection_address as `0x${string}`, context, { wait: true }),
    }),
  }),
});

const CollectionFailed = builder.objectRef<EventRow>('CollectionFailed').implement({
  ...concrete,
  description: 'A collection contract could not be deployed.',
  fields: (t) => ({
    address: t.field({
      type: 'Address',
      description: 'It would have had.',
      resolve: (event) => event.collection_address,
    }),
    error: t.field({
      type: UserError,
      nullable: false,
      description:
        'Why it failed: the error of the creation that was asked for here, or the delivery’s words.',
      resolve: async (event, _args, { issuances }) => {
        const { issuer, collection_address: address } = event;
        const row = address && (await issuances.collections.reads.byAddress(issuer, address));
        return row?.error ?? failure(event);
      },
    }),
  }),
});

const transfer = (name: string, description: string, record: string) =>
  builder.objectRef<EventRow>(name).implement({
    ...concrete,
    description,
    fields: (t) => ({
      srr: t.field({
        type: SRR,
        description: record,
        resolve: (event, _args, context) => (event.token_id === null ? null : recordOfEvent(event, context)),
      }),
    }),
  });
transfer('TransferReserved', 'A transfer was reserved on chain.', 'The record, read anew.');
transfer(
  'TransferCompleted',
  'A transfer ran on chain; the record has another owner.',
  'The record, as soon as the index has the transfer; the wait is bounded (INDEX_WAIT).',
);

builder.objectRef<EventRow>('UnrecognizedEvent').implement({
  ...concrete,
  description: 'A delivery that the gateway does not know or could not read; raw has all of it.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'The service’s own name of it.' }),
  }),
});

export const MiningOutcome = builder.unionType('MiningOutcome', {
  description: 'What became of something that was accepted.',
  types: [SRRIssued, SRRFailed, CollectionCreated, CollectionFailed],
  resolveType: (event) => typeNames[(event as EventRow).type] as never,
});
