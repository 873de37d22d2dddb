import type { EventFilter, EventType } from '@srr-gateway/client';
import { type Command, Option } from 'commander';
import { eventTypes } from '../generated/events.ts';
import type { ShownEvent } from './event-document.ts';
import { UsageError } from './exit-codes.ts';
import { faultText } from './fault-text.ts';
import { didYouMean } from './nearest.ts';

export interface EventOptions {
  events?: string;
  externalId?: string[];
  after?: string;
}

export const eventsOption = (what: string): Option =>
  new Option('--events <types>', `${what}, comma separated: ${eventTypes.join(', ')}`);

/** Options that select events of the log. */
export const withEventOptions = (command: Command): Command =>
  command
    .addOption(eventsOption('only these types'))
    .option('--external-id <ids...>', 'only events about records with these externalIds')
    .option('--after <cursor>', 'only events after this one');

export function eventFilter({ events, externalId }: EventOptions): EventFilter | undefined {
  const types = eventTypesOf(events);
  if (!types && !externalId) return undefined;
  return { ...(types && { types }), ...(externalId && { externalIds: externalId }) };
}

/** The types that `--events` names; null for `all`. */
export function eventTypesOf(events: string | undefined): EventType[] | null | undefined {
  if (events?.toLowerCase() === 'all') return null;
  return events?.split(',').map((type) => eventTypeOf('--events', type.trim()));
}

/** Takes lower case, and - for _. */
export function eventTypeOf(name: string, text: string): EventType {
  const meant = text.toUpperCase().replaceAll('-', '_');
  const type = eventTypes.find((known) => known === meant);
  if (type) return type;
  throw new UsageError(
    `${name}: there is no event "${text}".${didYouMean(text, eventTypes)} Events: ${eventTypes.join(', ')}.`,
  );
}

/** One event as a line for people. */
export function eventLine({
  receivedAt,
  type,
  externalId,
  srr,
  address,
  kind,
  message,
  error,
}: ShownEvent): string {
  const about = [
    externalId,
    srr && `token ${srr.tokenId}`,
    address,
    kind,
    message,
    error && faultText(error),
  ];
  return [receivedAt, type, ...about.filter(Boolean)].join('  ');
}
