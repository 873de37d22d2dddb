// Made from the schema by `npm run codegen`.

/** All types of events. */
export const eventTypes = [
  'SRR_ISSUED',
  'SRR_FAILED',
  'TRANSFER_RESERVED',
  'TRANSFER_COMPLETED',
  'COLLECTION_CREATED',
  'COLLECTION_FAILED',
  'ISSUANCE_REJECTED',
  'WEBHOOK_ENDPOINT_DISABLED',
  'UNRECOGNIZED',
] as const;

/** What is asked of an event. */
export const eventFields = `
  __typename id cursor type source receivedAt
  ... on SRRIssued { externalId srr { id tokenId contractAddress metadataCID } }
  ... on SRRFailed { externalId error { code message path externalId upstreamMessage } }
  ... on TransferReserved { record: srr { id tokenId contractAddress metadataCID } }
  ... on TransferCompleted { record: srr { id tokenId contractAddress metadataCID } }
  ... on CollectionCreated { address }
  ... on CollectionFailed { expectedAddress: address error { code message path externalId upstreamMessage } }
  ... on IssuanceRejected { requestId error { code message path externalId upstreamMessage } }
  ... on WebhookEndpointDisabled { message webhookEndpoint }
  ... on UnrecognizedEvent { kind }
`;

/** Fields that are asked for by another name, because they may be null only in some types. */
export const fieldsOfAliases: Readonly<Record<string, string>> = {
  record: 'srr',
  expectedAddress: 'address',
};
