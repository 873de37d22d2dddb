import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { sleep } from '@srr-gateway/common/time';

/** The node needs about a second to write its state; one that hangs is ended all the same. */
const gracefulMs = 8_000;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that ended but was never reaped still takes signals; it has no command line any more.
    return processCommand(pid) !== '';
  } catch {
    return false;
  }
}

/** The command line of a process, or nothing when it cannot be read. */
export function processCommand(pid: number): string {
  try {
    const proc = `/proc/${pid}/cmdline`;
    return existsSync(proc)
      ? readFileSync(proc, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** Asks a process to end, waits for it, and insists when it does not. */
export async function endProcess(pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + gracefulMs;
    while (isAlive(pid) && Date.now() < deadline) await sleep(20);
  }
}
