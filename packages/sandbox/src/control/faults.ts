import { randomUUID } from 'node:crypto';
import { seeded } from '@srr-gateway/common/seeded';
import type { z } from 'zod';
import type { armedFault, Fault, FaultOf } from './fault-schema.ts';

export { type Fault, faultSchema } from './fault-schema.ts';

type ArmedFault = Fault & z.infer<typeof armedFault>;

/** Faults that were asked for and are not used up. They do not outlive the process: a restart heals. */
export class Faults {
  readonly #armed = new Map<string, ArmedFault>();

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

  /** The oldest fault that fits and whose seed has this occasion; each call uses up one of its times. */
  strike<K extends Fault['kind']>(kind: K, fits: (fault: FaultOf<K>) => boolean): FaultOf<K> | undefined {
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
