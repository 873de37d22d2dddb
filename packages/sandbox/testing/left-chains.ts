import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createLogger } from '@srr-gateway/common/log';
import { findAnvil } from '../src/chain/anvil-process.ts';

/**
 * Ends the chains that tests left running below `directory`. A chain outlives its sandbox by design, so that
 * of a killed or crashed test still runs; its process id is in its state directory.
 */
export async function endLeftChains(directory: string): Promise<void> {
  const log = createLogger({ level: 'warn', name: 'test' });
  for (const note of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (basename(note) !== 'anvil.json') continue;
    const left = findAnvil(join(directory, dirname(note)));
    if (left) log.warn({ pid: left.pid, note }, 'a test left its chain running; ending it');
    await left?.stop();
  }
}
