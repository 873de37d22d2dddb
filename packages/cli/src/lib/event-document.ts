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
  error?: { code: string; message: string } | null;
}

const record = 'srr { id tokenId contractAddress metadataCID }';
const error = 'error { code message path externalId upstreamMessage }';

/** Fields of several types get one name, whether they can be null or not. */
const eventFields = `
  __typename id cursor type source receivedAt
  ... on SRRIssued { externalId ${record} }
  ... on SRRFailed { externalId ${error} }
  ... on CollectionCreated { address }
  ... on CollectionFailed { expectedAddress: address ${error} }
  ... on TransferReserved { transferred: ${record} }
  ... on TransferCompleted { transferred: ${record} }
  ... on WebhookEndpointDisabled { message }
  ... on UnrecognizedEvent { kind raw }`;

/** Answers have to name a field alike in all types, which GraphQL does not allow for one that is null in some. */
export function shownEvent(event: Record<string, unknown>): ShownEvent {
  const { transferred, expectedAddress, ...rest } = event;
  return {
    ...rest,
    ...('transferred' in event && { srr: transferred }),
    ...('expectedAddress' in event && { address: expectedAddress }),
  } as unknown as ShownEvent;
}

export const eventsSubscription = `subscription Events($after: String, $from: EventStart, $where: EventFilter) {
  events(after: $after, from: $from, where: $where) { ${eventFields} }
}`;

export const eventsQuery = `query EventList($first: Int!, $after: String, $where: EventFilter) {
  events(first: $first, after: $after, where: $where) {
    edges { node { ${eventFields} } }
    pageInfo { hasNextPage endCursor }
  }
}`;
