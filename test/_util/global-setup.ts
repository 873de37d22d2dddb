import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createLogger } from '../../src/lib/log.ts';
import { findAnvil } from '../../src/sandbox/chain/anvil-process.ts';

let directory = '';

/** Gives the run a temporary directory of its own: workers inherit it. */
export function setup(): void {
  directory = mkdtempSync(join(tmpdir(), 'srr-tests-'));
  process.env.TMPDIR = directory;
}

/**
 * Leaves nothing behind: a chain outlives its process by design, so one whose test was killed or crashed is
 * ended here, by the id that it noted in the run's directory.
 */
export async function teardown(): Promise<void> {
  const log = createLogger({ level: 'warn', name: 'test' });
  for (const note of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (basename(note) !== 'anvil.json') continue;
    const left = findAnvil(join(directory, dirname(note)));
    if (left) log.warn({ pid: left.pid, note }, 'a test left its chain running; ending it');
    await left?.stop();
  }
  rmSync(directory, { recursive: true, force: true });
}
