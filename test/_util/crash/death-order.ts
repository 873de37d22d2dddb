import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tells gateways that run with `die-at-checkpoint.ts` where to die; the first that comes there does. */
export interface DeathOrder {
  /** For the gateways: what loads the listener, and tells it where to read. */
  nodeArguments: string[];
  env: { DIE_FILE: string };
  /** At the next checkpoint of this name, or at the n-th of any that a replica passes from now on (`#7`). */
  dieAt(checkpoint: string): void;
  /** The checkpoint at which the order was carried out, if it was. */
  diedAt(): string | undefined;
  withdraw(): void;
}

export function deathOrder(): DeathOrder {
  const file = join(tmpdir(), `die-${randomUUID()}`);
  const done = `${file}.done`;
  const withdraw = () => {
    for (const one of [file, `${file}.taken`, done]) rmSync(one, { force: true });
  };
  return {
    nodeArguments: ['--import', './test/_util/crash/die-at-checkpoint.ts'],
    env: { DIE_FILE: file },
    dieAt: (checkpoint) => {
      withdraw();
      writeFileSync(file, checkpoint);
    },
    diedAt: () => (existsSync(done) ? readFileSync(done, 'utf8') : undefined),
    withdraw,
  };
}
