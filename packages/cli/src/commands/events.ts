import { Command } from 'commander';
import { eventsQuery, eventsSubscription, type ShownEvent, shownEvent } from '../lib/event-document.ts';
import { type EventOptions, eventFilter, eventLine, withEventOptions } from '../lib/event-options.ts';
import { UsageError } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import {
  headCursor,
  issuerOf,
  longPatience,
  numberOf,
  openSession,
  queried,
  type Session,
  shortPatience,
} from '../lib/session.ts';

interface Page {
  events: {
    edges: { node: Record<string, unknown> | null }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

/** Events per request. */
const pageSize = 100;

const list = withEventOptions(new Command('list'))
  .summary('print the log, oldest first')
  .description('Prints events of the log, oldest first, and ends.')
  .option('--limit <events>', 'at most so many', '100')
  .addHelpText(
    'after',
    `
Examples:
  $ srr events list --events SRR_FAILED
  $ srr events list --limit 1000 --json | jq -r .externalId`,
  )
  .action(async (options: EventOptions & { limit: string }, command: Command) => {
    const limit = numberOf('--limit', options.limit, 1);
    const session = openSession(command, shortPatience);
    await issuerOf(session);
    const where = eventFilter(options);
    let after = options.after;
    for (let left = limit; left > 0; ) {
      const { events } = await queried<Page>(session, eventsQuery, {
        first: Math.min(left, pageSize),
        after,
        where,
      });
      for (const { node } of events.edges) if (node) await show(session, shownEvent(node));
      left -= events.edges.length;
      after = events.pageInfo.endCursor ?? after;
      if (!events.pageInfo.hasNextPage) return;
    }
    say(`There are more: --after ${after}`);
  });

const tail = withEventOptions(new Command('tail'))
  .summary('print events as they come')
  .description(
    `Prints events as they come, until Ctrl-C. Comes back by itself when the connection is lost, and misses
nothing and repeats nothing.`,
  )
  .option('--from <place>', 'BEGINNING prints the whole log first', 'NOW')
  .addHelpText(
    'after',
    `
Examples:
  $ srr events tail
  $ srr events tail --from BEGINNING --events SRR_ISSUED,SRR_FAILED --json`,
  )
  .action(async (options: EventOptions & { from: string }, command: Command) => {
    const session = openSession(command, longPatience);
    await followEvents(session, options, (event) => show(session, event));
  });

const show = ({ json }: Session, event: ShownEvent) => (json ? printJson(event) : print(eventLine(event)));

/** Calls the handler for each event, until the user stops it or it throws. */
export async function followEvents(
  session: Session,
  options: EventOptions & { from: string },
  onEvent: (event: ShownEvent) => Promise<void>,
  onReady?: (issuer: string) => Promise<void>,
): Promise<void> {
  const from = options.from.toUpperCase();
  if (from !== 'NOW' && from !== 'BEGINNING')
    throw new UsageError(`--from: must be NOW or BEGINNING, not "${options.from}".`);
  const where = eventFilter(options);
  const { signal, client } = session;
  const issuer = await issuerOf(session);
  // Fix the start position before reporting that it listens.
  let after = options.after;
  if (!after && from === 'NOW') after = await headCursor(session);
  await onReady?.(issuer);
  await client.follow<Record<string, unknown>>({
    document: eventsSubscription,
    after,
    from,
    ...(where && { where }),
    signal,
    onRetry: ({ error }) => say(`${error.message} Connecting again.`),
    onEvent: (event) => onEvent(shownEvent(event)),
    save: (cursor) => {
      after = cursor;
    },
  });
  if (after) say(`To continue from here: --after ${after}`);
  signal.throwIfAborted();
}

export const eventsCommand = new Command('events')
  .summary('print the events of your log')
  .description('Prints the events of the log: the outcomes of your records and collections.')
  .addCommand(list)
  .addCommand(tail);
