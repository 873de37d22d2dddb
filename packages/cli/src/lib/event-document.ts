import { eventFields, fieldsOfAliases } from '../generated/events.ts';
import type { PrintableFault } from './fault-text.ts';

/** An event as the commands show and forward it. */
export interface EventOutput {
  __typename: string;
  id: string;
  cursor: string;
  type: string;
  source: string;
  receivedAt: string;
  externalId?: string | null;
  requestId?: string;
  address?: string | null;
  kind?: string | null;
  message?: string | null;
  srr?: { tokenId: string; contractAddress: string | null; metadataCID: string | null } | null;
  error?: PrintableFault | null;
}

/** Undoes aliases. One selection cannot give fields one name when only some of their types are nullable. */
export const toEventOutput = (event: Record<string, unknown>): EventOutput =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => [fieldsOfAliases[name] ?? name, value]),
  ) as unknown as EventOutput;

/** `raw` is all the content that an unrecognized event has. */
const rawField = '... on UnrecognizedEvent { raw }';

export const eventsSubscription = `subscription Events($after: String, $from: EventStart, $where: EventFilter) {
  events(after: $after, from: $from, where: $where) { ${eventFields} ${rawField} }
}`;

export const eventsQuery = `query EventList($first: Int!, $after: String, $where: EventFilter) {
  events(first: $first, after: $after, where: $where) {
    edges { node { ${eventFields} ${rawField} } }
    pageInfo { hasNextPage endCursor }
  }
}`;
