import { encodeCursor } from '../../events/cursor.ts';
import type { EventRow } from '../../events/receive.ts';
import type { Fault } from '../../lib/errors.ts';
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
    SRR_FAILED: { description: 'A record could not be issued or mined.' },
    TRANSFER_RESERVED: { description: 'A transfer was reserved on chain.' },
    TRANSFER_COMPLETED: { description: 'A transfer ran; the record has another owner.' },
    COLLECTION_CREATED: { description: 'A collection contract was deployed.' },
    COLLECTION_FAILED: { description: 'A collection contract could not be deployed.' },
    UNRECOGNIZED: { description: 'A delivery that the gateway does not know; kept in raw.' },
  } as const,
});

const EventSourceEnum = builder.enumType('EventSource', {
  description: 'How the gateway learned of it.',
  values: {
    WEBHOOK: { description: 'The service delivered it.' },
    SUBGRAPH: { description: 'Found in the index.' },
  } as const,
});

export const EventInterface = builder.interfaceRef<EventRow>('Event').implement({
  description: 'One entry of a delivery from the service, in the order in which the gateway stored them.',
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
      description: 'How it was learned.',
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
      description: 'The delivery’s own entry, unknown fields included.',
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

const failure = (event: EventRow): Fault => ({
  code: 'MINING_FAILED',
  message: 'The service reports that this could not be mined. It may be sent again under a new reference.',
  ...(event.external_id !== null && { externalId: event.external_id }),
  ...(event.message !== null && { upstreamMessage: event.message }),
});

const entryOf = async (event: EventRow, context: Context) => {
  const { entryOfToken, entryOfExternalId } = context.fresh.issuances;
  const byToken =
    event.token_id !== null
      ? await entryOfToken.load({ tokenId: event.token_id, collection: event.collection_address })
      : null;
  if (byToken || event.external_id === null) return byToken;
  return entryOfExternalId.load(event.external_id);
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
    error: t.field({ type: UserError, nullable: false, description: 'Why.', resolve: failure }),
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
    error: t.field({ type: UserError, nullable: false, description: 'Why.', resolve: failure }),
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
