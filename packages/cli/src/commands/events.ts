import { Command } from 'commander';
import { type EventOutput, eventsQuery, eventsSubscription, toEventOutput } from '../lib/event-document.ts';
import { type EventOptions, eventFilter, eventLine, withEventOptions } from '../lib/event-options.ts';
import { UsageError } from '../lib/exit-codes.ts';
import { print, printJson, say } from '../lib/output.ts';
import {
  headCursor,
  issuerOf,
  longRetrySeconds,
  openSession,
  parseWholeNumber,
  queryOrThrow,
  type Session,
  shortRetrySeconds,
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
  .summary('list events, oldest first')
  .description('Prints events of the log, oldest first, and exits.')
  .option('--limit <events>', 'how many to print at most', '100')
  .addHelpText(
    'after',
    `
Examples:
  $ srr events list --events SRR_FAILED
  $ srr events list --limit 1000 --json | jq -r .externalId`,
  )
  .action(async (options: EventOptions & { limit: string }, command: Command) => {
    const limit = parseWholeNumber('--limit', options.limit, 1);
    const session = openSession(command, shortRetrySeconds);
    await issuerOf(session);
    const where = eventFilter(options);
    let after = options.after;
    for (let remaining = limit; remaining > 0; ) {
      const { events } = await queryOrThrow<Page>(session, eventsQuery, {
        first: Math.min(remaining, pageSize),
        after,
        where,
      });
      for (const { node } of events.edges) if (node) await show(session, toEventOutput(node));
      remaining -= events.edges.length;
      after = events.pageInfo.endCursor ?? after;
      if (!events.pageInfo.hasNextPage) return;
    }
    say(`There are more: --after ${after}`);
  });

const tail = withEventOptions(new Command('tail'))
  .summary('print events as they come')
  .description(
    `Prints events as they arrive, until Ctrl-C. Reconnects when the connection is lost, and neither misses nor
repeats an event.`,
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
    const session = openSession(command, longRetrySeconds);
    await followEvents(session, options, (event) => show(session, event));
  });

const show = ({ json }: Session, event: EventOutput) => (json ? printJson(event) : print(eventLine(event)));

/** Calls `onEvent` for each event until the user stops the command or `onEvent` throws. */
export async function followEvents(
  session: Session,
  options: EventOptions & { from: string },
  onEvent: (event: EventOutput) => Promise<void>,
  onReady?: (issuer: string) => Promise<void>,
): Promise<void> {
  const from = options.from.toUpperCase();
  if (from !== 'NOW' && from !== 'BEGINNING')
    throw new UsageError(`--from: must be NOW or BEGINNING, not "${options.from}".`);
  const where = eventFilter(options);
  const { signal, client } = session;
  const issuer = await issuerOf(session);
  // Fix the start before `onReady` reports that the command listens: no later event may be missed.
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
    onEvent: (event) => onEvent(toEventOutput(event)),
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
