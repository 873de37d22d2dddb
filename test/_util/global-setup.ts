import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endLeftChains } from '@srr-gateway/sandbox/testing/left-chains';
import { buildClient } from '../../scripts/build-client.ts';

let directory = '';

/**
 * Gives the run a temporary directory of its own, and a compile cache that outlives it, which halves the
 * start of a program. Workers inherit both; a test passes the cache to the programs that it starts. Builds
 * the client package again if its sources have changed.
 */
export function setup(): void {
  buildClient();
  directory = mkdtempSync(join(tmpdir(), 'srr-tests-'));
  process.env.TMPDIR = directory;
  process.env.NODE_COMPILE_CACHE ??= resolve(
    import.meta.dirname,
    '../../node_modules/.cache/srr-gateway/compiled',
  );
}

/** Removes the temporary directory. */
export async function teardown(): Promise<void> {
  await endLeftChains(directory);
  rmSync(directory, { recursive: true, force: true });
}
