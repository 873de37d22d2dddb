import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sleep } from '@srr-gateway/common/time';

/**
 * The node needs about a second to write its state at SIGTERM; one that hangs longer than this gets SIGKILL.
 */
const gracefulMs = 8_000;

/** Whether a process runs; false for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie still accepts signals, but has no command line.
    return processCommand(pid) !== '';
  } catch {
    return false;
  }
}

/** The command line of a process; empty when it cannot be read. */
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

/** The processes whose command line contains `text`; none when they cannot be listed. */
export function processesWith(text: string): number[] {
  try {
    if (existsSync('/proc/self/cmdline')) {
      const pids = readdirSync('/proc').map(Number);
      return pids.filter((pid) => pid > 0 && processCommand(pid).includes(text));
    }
    const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n');
    return lines.filter((line) => line.includes(text)).map((line) => Number.parseInt(line, 10));
  } catch {
    return [];
  }
}

/** Sends SIGTERM and waits; sends SIGKILL when the process does not end in time. */
export async function endProcess(
  pid: number,
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGKILL'],
): Promise<void> {
  for (const signal of signals) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + gracefulMs;
    while (isAlive(pid) && Date.now() < deadline) await sleep(20);
  }
}
