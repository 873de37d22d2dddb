/** Types of events (`EventType` in the schema). */
export const eventTypes = [
  'SRR_ISSUED',
  'SRR_FAILED',
  'TRANSFER_RESERVED',
  'TRANSFER_COMPLETED',
  'COLLECTION_CREATED',
  'COLLECTION_FAILED',
  'WEBHOOK_ENDPOINT_DISABLED',
  'UNRECOGNIZED',
] as const;

export type EventType = (typeof eventTypes)[number];
