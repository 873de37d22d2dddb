import type { EventType } from '../store/tables.ts';

/**
 * Maps the service's delivery types to event types. The service's document mentions a delivery for a failed
 * issuance without naming its type; `issue_failed` is our name for it. WEBHOOK_TYPES adds the real one. The
 * compiler does not miss a new event type here.
 */
const builtIn: Record<string, EventType> = {
  issue_complete: 'SRR_ISSUED',
  issue_failed: 'SRR_FAILED',
  transfer_key: 'TRANSFER_RESERVED',
  transfer_complete: 'TRANSFER_COMPLETED',
  collection_created: 'COLLECTION_CREATED',
  collection_create_failed: 'COLLECTION_FAILED',
};

/** The event type of a delivery type: that of WEBHOOK_TYPES, else the built-in one, else UNRECOGNIZED. */
export function eventTypeOf(kind: string, configured: Record<string, EventType>): EventType {
  if (Object.hasOwn(configured, kind)) return configured[kind] as EventType;
  return Object.hasOwn(builtIn, kind) ? (builtIn[kind] as EventType) : 'UNRECOGNIZED';
}
