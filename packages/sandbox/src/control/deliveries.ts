import type { Selectable } from 'kysely';
import { z } from 'zod';
import { address, time } from '../http/values.ts';
import { type DeliveryTable, deliveryStatuses, deliveryTypes } from '../store/tables.ts';
import { controlAddress } from './runtime-settings.ts';

const status = z.enum(deliveryStatuses);

/** A webhook delivery as `GET /sandbox/deliveries` lists it. */
export const delivery = z.object({
  id: z.uuid(),
  issuer: address,
  type: z.enum(deliveryTypes),
  status,
  attempts: z.int(),
  lastStatus: z.int().nullable(),
  lastError: z.string().nullable(),
  tries: z.array(z.object({ at: time, status: z.int().nullable(), error: z.string().nullable() })),
  createdAt: time,
  nextAttemptAt: time.nullable(),
  settledAt: time.nullable(),
  body: z.looseObject({ type: z.string(), data: z.array(z.record(z.string(), z.unknown())) }),
});
export type ListedDelivery = z.infer<typeof delivery>;

export const deliveryList = z.object({
  counts: z.record(status, z.int()),
  deliveries: z.array(delivery),
});

export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  status: status.optional(),
});

/** The body of `POST /sandbox/deliveries`. */
export const inventedDelivery = z.strictObject({
  issuer: controlAddress().describe('The issuer that gets the delivery.'),
  type: z.enum(deliveryTypes),
  calledAs: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The `type` in the delivery, if it differs from `type`.'),
  data: z
    .array(z.record(z.string(), z.unknown()))
    .min(1)
    .max(250)
    .describe('The entries, which are sent as they are.'),
});

/** The listed form of a database row. `nextAttemptAt` is null when no attempt is due. */
export function listed(row: Selectable<DeliveryTable>): ListedDelivery {
  return {
    id: row.id,
    issuer: row.issuer,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    lastStatus: row.last_status,
    lastError: row.last_error,
    tries: row.tries,
    createdAt: row.created_at.toISOString(),
    nextAttemptAt: row.status === 'pending' ? row.next_attempt_at.toISOString() : null,
    settledAt: row.settled_at?.toISOString() ?? null,
    body: JSON.parse(row.body),
  };
}
