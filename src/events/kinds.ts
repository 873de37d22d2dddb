import type { EventType } from '../store/tables.ts';

/**
 * What the service's delivery kinds mean. `issue_failed` is our name for the kind that the document
 * mentions and does not name; a deployment that knows better sets WEBHOOK_TYPES, which adds to this table.
 */
const builtIn: Record<string, EventType> = {
  issue_complete: 'SRR_ISSUED',
  issue_failed: 'SRR_FAILED',
  transfer_key: 'TRANSFER_RESERVED',
  transfer_complete: 'TRANSFER_COMPLETED',
  collection_created: 'COLLECTION_CREATED',
  collection_create_failed: 'COLLECTION_FAILED',
};

export function eventTypeOf(kind: string, configured: Record<string, EventType>): EventType {
  if (Object.hasOwn(configured, kind)) return configured[kind] as EventType;
  return Object.hasOwn(builtIn, kind) ? (builtIn[kind] as EventType) : 'UNRECOGNIZED';
}
