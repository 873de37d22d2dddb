import { eventFields, fieldsOfAliases } from '../generated/events.ts';
import type { ToldFault } from './fault-text.ts';

/** An event as the commands show and forward it. */
export interface ShownEvent {
  __typename: string;
  id: string;
  cursor: string;
  type: string;
  source: string;
  receivedAt: string;
  externalId?: string | null;
  address?: string | null;
  kind?: string | null;
  message?: string | null;
  srr?: { tokenId: string; contractAddress: string | null; metadataCID: string | null } | null;
  error?: ToldFault | null;
}

/** Removes the aliases: GraphQL does not allow one response name for a field that is nullable in only some types. */
export const shownEvent = (event: Record<string, unknown>): ShownEvent =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => [fieldsOfAliases[name] ?? name, value]),
  ) as unknown as ShownEvent;

/** Only `raw` has the content of such an event. */
const whole = '... on UnrecognizedEvent { raw }';

export const eventsSubscription = `subscription Events($after: String, $from: EventStart, $where: EventFilter) {
  events(after: $after, from: $from, where: $where) { ${eventFields} ${whole} }
}`;

export const eventsQuery = `query EventList($first: Int!, $after: String, $where: EventFilter) {
  events(first: $first, after: $after, where: $where) {
    edges { node { ${eventFields} ${whole} } }
    pageInfo { hasNextPage endCursor }
  }
}`;
