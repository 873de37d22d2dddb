import { z } from 'zod';
import { type FailureKind, failureReasons } from '../chain/failure.ts';
import { deliveryTypes } from '../store/tables.ts';
import { issueEffects } from './issue-effects.ts';

/** Limits that every fault has. */
const limits = {
  /** The number of injections before it is used up. */
  times: z.int().min(1).max(1_000_000).default(1),
  /** The share of the occasions at which it is injected. */
  probability: z.number().gt(0).max(1).default(1),
  /** Decides which occasions those are: the same seed selects the same ones again. */
  seed: z.string().max(200).default('sandbox'),
};

const delayMs = z.int().min(0).max(3_600_000);
const failures = Object.keys(failureReasons) as [FailureKind, ...FailureKind[]];

/** The body of `POST /sandbox/faults`. An absent filter fits everything. */
export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('response'),
    route: z.enum(['signedUrls', 'fileMetadata', 'srrs', 'collection']),
    /** Before the request is processed, or after it, when everything is done. */
    when: z.enum(['before', 'after']),
    /** The connection is cut without a response; the response is a 502; or it is late. */
    effect: z.enum(['drop', '502', 'late']),
    /** For `late`. The default is longer than any client waits. */
    delayMs: delayMs.default(60_000),
    externalId: z.string().optional(),
    ...limits,
  }),
  z.strictObject({
    /** The work on an accepted request takes long; the same content is answered `in_progress` meanwhile. */
    kind: z.literal('publishing'),
    delayMs: delayMs.default(5_000),
    externalId: z.string().optional(),
    ...limits,
  }),
  z.strictObject({
    kind: z.literal('issue'),
    externalId: z.string(),
    effect: z.enum(Object.keys(issueEffects) as [keyof typeof issueEffects]),
    reason: z.string().default('a step behind the service failed'),
    ...limits,
  }),
  z.strictObject({
    /** Fails one attempt to mine. A failure that may pass is retried, up to the setting `miningAttempts`. */
    kind: z.literal('mining'),
    failure: z.enum(failures),
    externalId: z.string().optional(),
    ...limits,
  }),
  z.strictObject({
    kind: z.literal('webhook'),
    /** Never sent; sent twice; sent late; sent after the issuer's next delivery. */
    effect: z.enum(['drop', 'double', 'late', 'reorder']),
    /** For `late`. */
    delayMs: delayMs.default(5_000),
    type: z.enum(deliveryTypes).optional(),
    externalId: z.string().optional(),
    ...limits,
  }),
  z.strictObject({
    kind: z.literal('hash'),
    delayMs: delayMs.default(10_000),
    filename: z.string().optional(),
    ...limits,
  }),
  z.strictObject({
    /** Hits an upload to a signed URL. */
    kind: z.literal('upload'),
    /** The connection is cut before anything is stored, or after it; a 503; the answer is late. */
    effect: z.enum(['drop', 'lost', '503', 'late']),
    delayMs: delayMs.default(60_000),
    filename: z.string().optional(),
    ...limits,
  }),
  z.strictObject({
    /** Hits a read of a stored file, by a signed URL or by a public finalUrl. */
    kind: z.literal('download'),
    /** The connection is cut at once, or in the middle of the bytes; a 503; the answer is late. */
    effect: z.enum(['drop', 'cut', '503', 'late']),
    delayMs: delayMs.default(60_000),
    filename: z.string().optional(),
    ...limits,
  }),
  z.strictObject({
    /** Hits a response of the subgraph. */
    kind: z.literal('query'),
    effect: z.enum(['timeout', 'overloaded', 'reorganised', 'store', 'drop', '502', 'late']),
    delayMs: delayMs.default(60_000),
    ...limits,
  }),
  z.strictObject({
    /** Hits a response of the IPFS gateway. */
    kind: z.literal('content'),
    effect: z.enum(['timeout', 'busy', 'gone', 'corrupt', 'cut']),
    /** How long `timeout` waits before its 504. */
    delayMs: delayMs.default(0),
    cid: z.string().optional(),
    ...limits,
  }),
]);

export type Fault = z.infer<typeof faultSchema>;

/** An armed fault. `times` counts down to 0. */
export const armedFault = z.looseObject({
  ...limits,
  kind: z.enum(faultSchema.options.map(({ shape }) => shape.kind.value)),
  id: z.uuid(),
  occasions: z.int(),
  struck: z.int(),
});
export type FaultOf<K extends Fault['kind']> = Extract<Fault, { kind: K }>;
