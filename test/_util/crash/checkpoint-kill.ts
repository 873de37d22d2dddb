import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Orders gateways with `die-at-checkpoint.ts` to die at a checkpoint; the first to reach it dies. */
export interface CheckpointKill {
  /** Arguments of the gateways, which load the listener and name the file of the order. */
  nodeArguments: string[];
  env: { DIE_FILE: string };
  /** Orders a death at the next checkpoint of this name, or at the n-th that a replica passes (`#7`). */
  killAt(checkpoint: string): void;
  /** The checkpoint at which a gateway has died, if one has. */
  killedAt(): string | undefined;
  withdraw(): void;
}

export function checkpointKill(): CheckpointKill {
  const file = join(tmpdir(), `die-${randomUUID()}`);
  const done = `${file}.done`;
  const withdraw = () => {
    for (const one of [file, `${file}.taken`, done]) rmSync(one, { force: true });
  };
  return {
    nodeArguments: ['--import', './test/_util/crash/die-at-checkpoint.ts'],
    env: { DIE_FILE: file },
    killAt: (checkpoint) => {
      withdraw();
      writeFileSync(file, checkpoint);
    },
    killedAt: () => (existsSync(done) ? readFileSync(done, 'utf8') : undefined),
    withdraw,
  };
}
