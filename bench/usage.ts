import { existsSync, readFileSync } from 'node:fs';

/** What a process has used, and holds, in bytes. */
export interface Usage {
  cpuSeconds: number;
  rss: number;
  peakRss: number;
}

/** Linux counts processor time in hundredths of a second, and memory in kibibytes. */
export function usageOf(pid: number | undefined): Usage | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // The name before the closing bracket may hold anything.
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [utime, stime] = [11, 12].map((at) => Number(fields[at]));
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { cpuSeconds: ((utime ?? 0) + (stime ?? 0)) / 100, rss: bytes('VmRSS'), peakRss: bytes('VmHWM') };
}
