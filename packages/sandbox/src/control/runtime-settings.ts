import { z } from 'zod';
import { webhookKey } from '../config/settings.ts';
import { addressInAnyCase } from '../http/values.ts';
import { deliveryShapes } from '../webhooks/shapes.ts';

const ms = z.int().min(0).max(86_400_000);

/** Settings that can change while the sandbox runs. They are only in memory, so a restart resets them. */
const runtimeSettings = z.strictObject({
  hashDelayMs: ms,
  miningIntervalMs: ms.min(10),
  indexLagMs: ms,
  indexLagBlocks: z.int().min(0).max(1_000_000),
  indexingErrors: z
    .boolean()
    .describe('The subgraph reports indexing errors: queries need `subgraphError: allow`.'),
  indexEarliestBlock: z.int().min(1).max(2_000_000_000).describe('The first block whose data is not pruned.'),
  miningAttempts: z
    .int()
    .min(1)
    .max(1_000)
    .describe('Attempts at a transaction before a transient failure becomes final.'),
  webhooksPaused: z.boolean().describe('Deliveries stay queued while it is true.'),
  webhooksOfRefusals: z
    .boolean()
    .describe('A refused issue request is also reported by webhook, as a failure of its entries.'),
  webhooksOfRetries: z
    .boolean()
    .describe('Each failed attempt to mine a record is also reported by webhook, although it is retried.'),
  fileMetadataShape: z
    .enum(['results', 'payload', 'array'])
    .describe('The body of a 200 of fileMetadata: an object with `results` or `payload`, or a bare array.'),
  deliveryShape: z
    .enum(deliveryShapes)
    .describe(
      'The shape of webhook bodies; docs/faults.md shows each. `GET /sandbox/deliveries` always lists `slim`.',
    ),
});
export type RuntimeSettings = z.infer<typeof runtimeSettings>;

/** The current settings, as `GET /sandbox/settings` answers. */
export const settings = runtimeSettings.extend({
  clockOffsetMs: z
    .int()
    // A year either way: no test needs more.
    .min(-31_536_000_000)
    .max(31_536_000_000)
    .describe('Moves the clock for signatures and delayed work, in milliseconds.'),
});

const count = z.int().min(0).max(2_000_000_000).optional();

/** The body of `POST /sandbox/settings`. Absent fields keep their values; only quotas are stored. */
export const settingsUpdate = settings.partial().extend({
  quotas: z.array(z.strictObject({ address: controlAddress(), srrs: count, nfcTags: count })).optional(),
  webhooks: z
    .array(
      z.strictObject({
        issuer: controlAddress().optional(),
        url: z.url({ protocol: /^https?$/ }),
        key: webhookKey,
      }),
    )
    .optional()
    .describe(
      'Targets of deliveries. One without `issuer` gets the deliveries of all issuers without a target of their own. Keys are never shown.',
    ),
});

/** An address in a request to a control route, in any letter case. */
export function controlAddress() {
  return addressInAnyCase((text) => `${text} is no address`);
}
