import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A part of a processor for one process, by a control group of Linux: replicas then have processors of their own,
 * as on a bigger machine, and what they share has the rest.
 */
export interface Limit {
  /** Holds the process, with all its threads, to the share from now on. */
  hold(pid: number): void;
  /** Gives the processes of the group as much as there is. */
  lift(): void;
  remove(): void;
}

const root = '/sys/fs/cgroup';
/** Short, so that a replica that used its share up waits for milliseconds and not for the usual 100. */
const periodUs = 10_000;

/** @throws when this system lets nobody make such a group: it takes root on Linux. */
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
    // A group goes only when its processes have ended.
    remove: () => rmdirSync(group),
  };
}

/** Processor seconds of a process and of those that it started, ended ones included. */
export function cpuSecondsOfTree(pid: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times && (times.pid === pid || times.parent === pid))
    .reduce((sum, times) => sum + (times?.seconds ?? 0), 0);
}

function timesOf(pid: number): { pid: number; parent: number; seconds: number } | undefined {
  try {
    // The name before the closing bracket may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const [parent = 0, ...ticks] = [1, 11, 12, 13, 14].map((at) => Number(fields[at]));
    return { pid, parent, seconds: ticks.reduce((sum, each) => sum + each, 0) / 100 };
  } catch {
    // It ended in the meantime.
    return undefined;
  }
}
