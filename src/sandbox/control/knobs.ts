import { z } from 'zod';
import { type Address, parseAddress } from '../../lib/address.ts';
import { ServiceError } from '../http/service-error.ts';

const ms = z.int().min(0).max(86_400_000);

/** The body of `POST /sandbox/settings`: what is absent stays as it is. */
export const knobsSchema = z.strictObject({
  hashDelayMs: ms.optional(),
  miningIntervalMs: ms.min(10).optional(),
  indexLagMs: ms.optional(),
  indexLagBlocks: z.int().min(0).max(1_000_000).optional(),
  /** The index says that it skipped errors: queries need `subgraphError: allow`. */
  indexingErrors: z.boolean().optional(),
  /** Data of earlier blocks counts as pruned. */
  indexEarliestBlock: z.int().min(1).max(2_000_000_000).optional(),
  /** How often a transaction is tried before a failure that may pass counts as final. */
  miningAttempts: z.int().min(1).max(1_000).optional(),
  /** Deliveries stay queued while it is true. */
  webhooksPaused: z.boolean().optional(),
  /** Moves the clock of signatures and delayed work; a year either way is further than any test goes. */
  clockOffsetMs: z.int().min(-31_536_000_000).max(31_536_000_000).optional(),
  quotas: z
    .array(
      z.strictObject({
        address: z.string(),
        srrs: z.int().min(0).max(2_000_000_000).optional(),
        nfcTags: z.int().min(0).max(2_000_000_000).optional(),
      }),
    )
    .optional(),
  /** Where deliveries go; without `issuer`, those of every issuer. The key is never shown again. */
  webhooks: z
    .array(
      z.strictObject({
        issuer: z.string().optional(),
        url: z.url({ protocol: /^https?$/ }),
        key: z.string().min(1),
      }),
    )
    .optional(),
});

export type Knobs = z.infer<typeof knobsSchema>;

/** Parses a body of the control endpoint, or throws 400 with every fault. */
export function readControl<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    400,
    parsed.error.issues.map(({ path, message }) =>
      path.length > 0 ? `${path.join('.')}: ${message}` : message,
    ),
  );
}

export function readControlAddress(text: string, at: string): Address {
  const address = parseAddress(text.toLowerCase());
  if (address === undefined) throw new ServiceError(400, [`${at}: ${text} is no address`]);
  return address;
}
