import { beginning, decodeCursor, encodeCursor } from '../../events/cursor.ts';
import type { EventFilter as LogFilter } from '../../events/event-log.ts';
import { isUuid } from '../../model/uuid.ts';
import type { EventRow } from '../../store/tables.ts';
import { builder } from '../builder.ts';
import { comparable } from '../comparable.ts';
import { type Context, issuerOf } from '../context.ts';
import { forwardConnection, forwardSize } from '../page.ts';
import { EventInterface, EventTypeEnum, MiningOutcome } from './event.ts';

const EventFilterInput = builder.inputType('EventFilter', {
  description: 'Which events; all conditions must hold.',
  fields: (t) => ({
    types: t.field({ type: [EventTypeEnum], description: 'Of these types.' }),
    issuance: t.id({ description: 'About records of this issuance.' }),
    externalIds: t.stringList({ description: 'About records with these references.' }),
    tokenIds: t.field({ type: ['TokenId'], description: 'About these tokens.' }),
    collection: t.field({ type: 'Address', description: 'About this collection, or records in it.' }),
  }),
});

const outcomeTypes = ['SRR_ISSUED', 'SRR_FAILED', 'COLLECTION_CREATED', 'COLLECTION_FAILED'] as const;

type FilterValue = typeof EventFilterInput.$inferInput;

function logFilter(where: FilterValue | null | undefined): LogFilter {
  for (const [i, text] of where?.externalIds?.entries() ?? [])
    comparable(text, ['where', 'externalIds', String(i)]);
  return {
    types: where?.types ?? undefined,
    issuance: where?.issuance == null ? undefined : issuanceUuid(where.issuance),
    externalIds: where?.externalIds ?? undefined,
    tokenIds: where?.tokenIds ?? undefined,
    collection: where?.collection ?? undefined,
  };
}

/** The row's own id within a global one; a text that is none matches nothing. */
function issuanceUuid(globalId: string): string {
  const id = Buffer.from(globalId, 'base64')
    .toString()
    .replace(/^Issuance:/, '');
  return isUuid(id) ? id : '00000000-0000-0000-0000-000000000000';
}

const EventStart = builder.enumType('EventStart', {
  description: 'Where a subscription without a cursor starts.',
  values: {
    BEGINNING: { description: 'Before the first event: the whole log is replayed, then it goes on live.' },
    NOW: { description: 'After the newest event: it is live from now on.' },
  } as const,
});

const afterArg = {
  description:
    'Replays what came after this cursor, then goes on live. When it is absent, `from` says where to start.',
};

const fromArg = {
  type: EventStart,
  defaultValue: 'NOW',
  description: 'Where to start without a cursor. It is ignored when there is one.',
} as const;

interface FeedArgs {
  after?: string | null | undefined;
  from?: typeof EventStart.$inferType | null | undefined;
  where?: FilterValue | null | undefined;
}

function subscribe(args: FeedArgs, context: Context, only?: readonly EventRow['type'][]) {
  const { issuer } = issuerOf(context);
  const filter = logFilter(args.where);
  if (only) filter.types = (filter.types ?? [...only]).filter((type) => only.includes(type));
  // An EventSource comes back to the address that it had at first, with what it saw since in this header.
  const resume = context.lastEventId ?? args.after;
  const start = args.from === 'BEGINNING' ? beginning : undefined;
  const after = resume == null ? start : decodeCursor(issuer, resume);
  return context.events.follow(issuer, after, filter, context.signal);
}

builder.subscriptionFields((t) => ({
  miningOutcomes: t.field({
    type: MiningOutcome,
    nullable: false,
    authScopes: { read: true },
    description:
      'What became of records and collections, fed by the service’s webhook. Nothing is missed and nothing comes twice. Scope: read.',
    args: {
      after: t.arg.string(afterArg),
      from: t.arg(fromArg),
      where: t.arg({
        type: EventFilterInput,
        description: 'Only events to which all of these conditions apply.',
      }),
    },
    subscribe: (_root, args, context) => subscribe(args, context, outcomeTypes),
    resolve: (event) => event as EventRow,
  }),
  events: t.field({
    type: EventInterface,
    nullable: false,
    authScopes: { read: true },
    description: 'Every delivery of the service, of every kind, with the same guarantees. Scope: read.',
    args: {
      after: t.arg.string(afterArg),
      from: t.arg(fromArg),
      where: t.arg({
        type: EventFilterInput,
        description: 'Only events to which all of these conditions apply.',
      }),
    },
    subscribe: (_root, args, context) => subscribe(args, context),
    resolve: (event) => event as EventRow,
  }),
}));

const EventEdge = builder.edgeObject({ type: EventInterface, name: 'EventEdge' });
const EventConnection = builder.connectionObject(
  {
    type: EventInterface,
    name: 'EventConnection',
    fields: (t) => ({
      headCursor: t.string({
        nullable: false,
        description:
          'The place after the newest event of the whole log, whatever the page and its filter show; there is one on an empty log too. Subscribe with it as "after" to hear of everything that came after this answer.',
        resolve: (page) => (page as unknown as { headCursor: string }).headCursor,
      }),
    }),
  },
  EventEdge,
);

builder.queryField('events', (t) =>
  t.connection(
    {
      type: EventInterface,
      authScopes: { read: true },
      description:
        'The issuer’s event log, oldest first: what a subscriber missed. Null with an error when the caller may not read it. Scope: read.',
      args: {
        where: t.arg({
          type: EventFilterInput,
          description: 'Only events to which all of these conditions apply.',
        }),
      },
      resolve: async (_root, { where, ...list }, context) => {
        const { after } = list;
        const { issuer } = issuerOf(context);
        const position = after == null ? beginning : decodeCursor(issuer, after);
        const size = forwardSize(list);
        // Before the page is read: what comes meanwhile is after this place, and may be on the page too.
        const head = await context.events.checkPosition(issuer, position);
        const rows = await context.events.read(issuer, position, size + 1, logFilter(where));
        const page = { rows: rows.slice(0, size), more: rows.length > size };
        return {
          ...forwardConnection(page, after, (event) => encodeCursor(issuer, event.cursor)),
          headCursor: encodeCursor(issuer, head),
        };
      },
    },
    EventConnection,
  ),
);
