import { randomUUID } from 'node:crypto';
import { seeded } from '@srr-gateway/common/seeded';
import type { z } from 'zod';
import type { armedFault, Fault, FaultOf } from './fault-schema.ts';

type ArmedFault = Fault & z.infer<typeof armedFault>;

/** The armed faults that are not used up. They are only in memory, so a restart clears them. */
export class Faults {
  readonly #armed = new Map<string, ArmedFault>();

  /** Arms a fault and returns its id. */
  arm(fault: Fault): string {
    const id = randomUUID();
    this.#armed.set(id, { ...fault, id, occasions: 0, struck: 0 });
    return id;
  }

  list(): ArmedFault[] {
    return [...this.#armed.values()];
  }

  clear(): void {
    this.#armed.clear();
  }

  /**
   * Returns the oldest fault that fits and that its seed selects for this occasion, and uses up one of its
   * `times`; `undefined` when there is none.
   */
  consume<K extends Fault['kind']>(kind: K, fits: (fault: FaultOf<K>) => boolean): FaultOf<K> | undefined {
    for (const [id, fault] of this.#armed) {
      if (fault.kind !== kind || !fits(fault as unknown as FaultOf<K>)) continue;
      if (seeded(fault.seed, fault.occasions++) >= fault.probability) continue;
      fault.times -= 1;
      fault.struck += 1;
      if (fault.times === 0) this.#armed.delete(id);
      return fault as unknown as FaultOf<K>;
    }
    return undefined;
  }
}
