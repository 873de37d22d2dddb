import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Limits each process to a share of a processor with a Linux control group. Replicas then have their own
 * share, as on a bigger machine, and the shared servers have the rest.
 */
export interface Limit {
  /** Limits the process, with all its threads, to the share from now on. */
  hold(pid: number): void;
  /** Removes the limit of the group's processes. */
  lift(): void;
  remove(): void;
}

const root = '/sys/fs/cgroup';
/**
 * Short, so that a replica that has used up its share waits for a few milliseconds, not for the default of
 * 100.
 */
const periodUs = 10_000;

/** @throws when this process cannot create such a group, which needs root on Linux. */
export function processorLimit(name: string, share: number): Limit {
  const unified = existsSync(join(root, 'cgroup.controllers'));
  const group = join(root, unified ? '' : 'cpu', name);
  const quota = join(group, unified ? 'cpu.max' : 'cpu.cfs_quota_us');
  const quotaUs = Math.round(share * periodUs);
  try {
    mkdirSync(group);
    if (!unified) writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(quota, unified ? `${quotaUs} ${periodUs}` : String(quotaUs));
  } catch (cause) {
    throw new Error(`--share needs root and the control groups of Linux under ${root}.`, { cause });
  }
  return {
    hold: (pid) => writeFileSync(join(group, 'cgroup.procs'), String(pid)),
    lift: () => writeFileSync(quota, unified ? 'max' : '-1'),
    // A group can be removed only after its processes have ended.
    remove: () => rmdirSync(group),
  };
}

/** Processor seconds of a process and its children, including ended ones. */
export function cpuSecondsOfTree(pid: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times && (times.pid === pid || times.parent === pid))
    .reduce((sum, times) => sum + (times?.seconds ?? 0), 0);
}

function timesOf(pid: number): { pid: number; parent: number; seconds: number } | undefined {
  try {
    // The name before the closing bracket may contain any characters.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const [parent = 0, ...ticks] = [1, 11, 12, 13, 14].map((at) => Number(fields[at]));
    return { pid, parent, seconds: ticks.reduce((sum, each) => sum + each, 0) / 100 };
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
}
