import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { playMnemonic } from './play-accounts.ts';

export const chainId = 31337;

/** Room for hundreds of records in one block, so that a batch that was sent together is mined together. */
export const blockGasLimit = 1_000_000_000;

/** Enough that the operator never runs out; tests that need an empty account set its balance. */
const balanceEther = 1_000_000;

/**
 * Past states that the node keeps, for calls on old blocks and
 * reorganisations. Without a limit they fill memory and disk.
 */
const keptStates = 64;

/** The anvil binary of the optional dependency if it has one for this platform, else `anvil` of PATH. */
export function anvilBinary(): string {
  try {
    const packaged = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json');
    const binary = join(packaged, '..', 'bin', 'anvil');
    if (existsSync(binary)) return binary;
  } catch {
    // The package is an optional dependency: it is not installed on other platforms.
  }
  return 'anvil';
}

/** Command line of the node; `port` 0 lets it choose one. */
export function anvilArguments(options: { port: number; statePath: string }): string[] {
  return [
    ['--host', '127.0.0.1'],
    ['--port', String(options.port)],
    ['--chain-id', String(chainId)],
    ['--mnemonic', playMnemonic],
    ['--balance', String(balanceEther)],
    ['--gas-limit', String(blockGasLimit)],
    // The node mines only when the miner asks, so the miner alone decides on a block's time and content.
    ['--no-mining'],
    ['--order', 'fifo'],
    ['--prune-history', String(keptStates)],
    ['--state', options.statePath],
    // Seconds between writes: a power cut loses at most this. A kill of
    // our process loses nothing: the node runs on.
    ['--state-interval', '1'],
  ].flat();
}
