import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { deliveryTypes } from '../store/tables.ts';

/** How often a fault strikes before it is used up. */
const times = z.int().min(1).max(1_000_000).default(1);

export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('response'),
    route: z.enum(['signedUrls', 'fileMetadata', 'srrs', 'collection']),
    /** Before the request is processed, or after it with everything done. */
    when: z.enum(['before', 'after']),
    /** The connection is cut without an answer, or the answer is 502. */
    effect: z.enum(['drop', '502']),
    times,
  }),
  z.strictObject({
    kind: z.literal('issue'),
    externalId: z.string(),
    /** The entry fails alone, unclassified or with a reason; or the whole request with one of the 500s. */
    effect: z.enum(['entryUnknown', 'entryNotCreated', 'unknown', 'downstream']),
    reason: z.string().default('a step behind the service failed'),
    times,
  }),
  z.strictObject({
    kind: z.literal('mining'),
    externalId: z.string(),
    reason: z.string().default('account out of funds'),
    times,
  }),
  z.strictObject({
    kind: z.literal('webhook'),
    effect: z.enum(['drop', 'double']),
    /** Absent: any delivery. */
    type: z.enum(deliveryTypes).optional(),
    externalId: z.string().optional(),
    times,
  }),
]);

export type Fault = z.infer<typeof faultSchema>;
type FaultOf<K extends Fault['kind']> = Extract<Fault, { kind: K }>;

/** Faults that were asked for and have not struck yet. They do not outlive the process. */
export class Faults {
  readonly #armed = new Map<string, Fault>();

  arm(fault: Fault): string {
    const id = randomUUID();
    this.#armed.set(id, { ...fault });
    return id;
  }

  list(): ({ id: string } & Fault)[] {
    return [...this.#armed].map(([id, fault]) => ({ id, ...fault }));
  }

  clear(): void {
    this.#armed.clear();
  }

  /** The oldest fault that fits; each call uses up one of its times. */
  strike<K extends Fault['kind']>(kind: K, fits: (fault: FaultOf<K>) => boolean): FaultOf<K> | undefined {
    for (const [id, fault] of this.#armed) {
      if (fault.kind !== kind || !fits(fault as FaultOf<K>)) continue;
      fault.times -= 1;
      if (fault.times === 0) this.#armed.delete(id);
      return fault as FaultOf<K>;
    }
    return undefined;
  }
}
