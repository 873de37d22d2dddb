import { requireIssuer } from '../../access/caller.ts';
import { beginning, decodeCursor, encodeCursor } from '../../events/cursor.ts';
import type { EventFilter as LogFilter } from '../../events/event-log.ts';
import { pageOf } from '../../model/page.ts';
import { isUuid } from '../../model/uuid.ts';
import type { EventRow } from '../../store/tables.ts';
import type { Context } from '../execution/context.ts';
import { builder } from './builder.ts';
import { databaseText } from './database-text.ts';
import { EventInterface, EventTypeEnum, MiningOutcome } from './event.ts';
import { forwardConnection, forwardOnly, forwardSize } from './page.ts';
import { idOf } from './relay-options.ts';

const EventFilterInput = builder.inputType('EventFilter', {
  description: 'Conditions on events. An event must meet all that are given; null counts as not given.',
  fields: (t) => ({
    types: t.field({ type: [EventTypeEnum], description: 'Events of one of these types.' }),
    issuance: t.id({ description: 'Events about the issuance with this global id, or about its records.' }),
    externalIds: t.stringList({ description: 'Events about records with one of these external ids.' }),
    tokenIds: t.field({
      type: ['TokenId'],
      description: 'Events about records with one of these token ids.',
    }),
    collection: t.field({
      type: 'Address',
      description: 'Events about the collection at this contract address, or about records in it.',
    }),
  }),
});

const outcomeTypes = ['SRR_ISSUED', 'SRR_FAILED', 'COLLECTION_CREATED', 'COLLECTION_FAILED'] as const;

type FilterValue = typeof EventFilterInput.$inferInput;

function logFilter(where: FilterValue | null | undefined): LogFilter {
  for (const [i, text] of where?.externalIds?.entries() ?? [])
    databaseText(text, ['where', 'externalIds', String(i)]);
  return {
    types: where?.types ?? undefined,
    issuance: where?.issuance == null ? undefined : issuanceUuid(where.issuance),
    externalIds: where?.externalIds ?? undefined,
    tokenIds: where?.tokenIds ?? undefined,
    collection: where?.collection ?? undefined,
  };
}

/** The row id in a global id. Refuses other text, because a subscription to it would wait for ever. */
function issuanceUuid(globalId: string): string {
  const id = idOf('Issuance', globalId, ['where', 'issuance']);
  return isUuid(id) ? id : '00000000-0000-0000-0000-000000000000';
}

const EventStart = builder.enumType('EventStart', {
  description: 'Where a subscription without a cursor starts.',
  values: {
    BEGINNING: {
      description:
        'The whole event log is replayed from the first event, then the subscription goes on live.',
    },
    NOW: {
      description: 'The subscription starts after the newest event, and sends only later ones.',
    },
  } as const,
});

const feedArgs = builder.args((t) => ({
  after: t.string({
    description:
      'Replays the events after this cursor, then goes on live. When it is absent, `from` says where to start.',
  }),
  from: t.field({
    type: EventStart,
    defaultValue: 'NOW',
    description: 'Where to start when there is no cursor. It is ignored when `after` is given.',
  }),
  where: t.field({
    type: EventFilterInput,
    description: 'Sends only events that meet all of these conditions.',
  }),
}));

interface FeedArgs {
  after?: string | null | undefined;
  from?: typeof EventStart.$inferType | null | undefined;
  where?: FilterValue | null | undefined;
}

function subscribe(args: FeedArgs, context: Context, only?: readonly EventRow['type'][]) {
  const { issuer } = requireIssuer(context);
  const filter = logFilter(args.where);
  if (only) filter.types = (filter.types ?? [...only]).filter((type) => only.includes(type));
  // An EventSource reconnects with its first URL, so its Last-Event-ID header is newer than `after`.
  const resume = context.lastEventId ?? args.after;
  const start = args.from === 'BEGINNING' ? beginning : undefined;
  const after = resume == null ? start : decodeCursor(issuer, resume);
  return context.services.events.follow(issuer, after, filter, context.signal);
}

builder.subscriptionFields((t) => ({
  miningOutcomes: t.field({
    type: MiningOutcome,
    nullable: false,
    authScopes: { read: true },
    description:
      'The outcomes of records and collections, from webhooks, the subgraph and the issuance service’s answers. A subscriber that resumes by cursor misses none and gets none twice. Scope: read.',
    args: feedArgs,
    subscribe: (_root, args, context) => subscribe(args, context, outcomeTypes),
    resolve: (event) => event as EventRow,
  }),
  events: t.field({
    type: EventInterface,
    nullable: false,
    authScopes: { read: true },
    description:
      'All events of the issuer, of every type, with the same guarantees as miningOutcomes. Scope: read.',
    args: feedArgs,
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
          'The cursor after the newest event of the whole log, whatever the page and its filter show; an empty log has one too. Subscribe with it as "after" to get all events after this answer.',
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
      description: `The issuer’s event log in the gateway’s database, oldest first, for example to catch up after a subscription ended. Null with an error when the caller may not read it. ${forwardOnly} Scope: read.`,
      args: {
        where: t.arg({
          type: EventFilterInput,
          description: 'Lists only events that meet all of these conditions.',
        }),
      },
      resolve: async (_root, { where, ...list }, context) => {
        const { after } = list;
        const { issuer } = requireIssuer(context);
        const position = after == null ? beginning : decodeCursor(issuer, after);
        const size = forwardSize(list);
        // Read the head before the page, so that an event in between is after this cursor. It may be on the page too.
        const head = await context.services.events.checkPosition(issuer, position);
        const rows = await context.services.events.read(issuer, position, size + 1, logFilter(where));
        return {
          ...forwardConnection(pageOf(rows, size), after, (event) => encodeCursor(issuer, event.cursor)),
          headCursor: encodeCursor(issuer, head),
        };
      },
    },
    EventConnection,
  ),
);
