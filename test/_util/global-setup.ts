import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftChains } from '@srr-gateway/sandbox/testing/left-chains';

let directory = '';

/** Gives the run a temporary directory of its own: workers inherit it. */
export function setup(): void {
  directory = mkdtempSync(join(tmpdir(), 'srr-tests-'));
  process.env.TMPDIR = directory;
}

/** Leaves nothing behind. */
export async function teardown(): Promise<void> {
  await endLeftChains(directory);
  rmSync(directory, { recursive: true, force: true });
}
