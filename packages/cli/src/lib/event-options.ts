import type { EventFilter, EventType } from '@srr-gateway/client';
import { type Command, Option } from 'commander';
import { eventTypes } from '../generated/events.ts';
import type { EventOutput } from './event-document.ts';
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

/** Adds the options that filter the event log. */
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

/** Accepts lower case, and `-` for `_`. */
export function eventTypeOf(name: string, text: string): EventType {
  const normalized = text.toUpperCase().replaceAll('-', '_');
  const type = eventTypes.find((known) => known === normalized);
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
  requestId,
  srr,
  address,
  kind,
  message,
  error,
}: EventOutput): string {
  const about = [
    externalId,
    requestId,
    srr && `token ${srr.tokenId}`,
    address,
    kind,
    message,
    error && faultText(error),
  ];
  return [receivedAt, type, ...about.filter(Boolean)].join('  ');
}
