import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { playMnemonic } from './play-accounts.ts';

export const chainId = 31337;

/** Room for hundreds of records in one block: the sandbox shows a batch mined together, as it was sent. */
export const blockGasLimit = 1_000_000_000;

/** Enough that the operator never runs dry by itself; tests that want it dry set the balance. */
const balanceEther = 1_000_000;

/** States kept for calls on past blocks and for reorganisations; without a limit they fill memory and disk. */
const keptStates = 64;

/** The binary that comes with our dependencies, where they have one for this platform; else that of PATH. */
export function anvilBinary(): string {
  try {
    const packaged = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json');
    const binary = join(packaged, '..', 'bin', 'anvil');
    if (existsSync(binary)) return binary;
  } catch {
    // An optional dependency: absent on other platforms.
  }
  return 'anvil';
}

export function anvilArguments(options: { port: number; statePath: string }): string[] {
  return [
    ['--host', '127.0.0.1'],
    ['--port', String(options.port)],
    ['--chain-id', String(chainId)],
    ['--mnemonic', playMnemonic],
    ['--balance', String(balanceEther)],
    ['--gas-limit', String(blockGasLimit)],
    // Blocks come when the miner asks for them, so that it alone decides on time and content.
    ['--no-mining'],
    ['--order', 'fifo'],
    ['--prune-history', String(keptStates)],
    ['--state', options.statePath],
    // Seconds: what a power cut may cost. A kill of our process costs nothing, the node lives on.
    ['--state-interval', '1'],
  ].flat();
}
