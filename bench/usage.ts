import { existsSync, readFileSync } from 'node:fs';

/** Processor time and memory (in bytes) of a process. */
export interface Usage {
  cpuSeconds: number;
  rss: number;
  peakRss: number;
}

/** Linux counts processor time in hundredths of a second, and memory in kibibytes. */
export function usageOf(pid: number | undefined): Usage | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // The name before the closing bracket may contain any characters.
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [utime, stime] = [11, 12].map((at) => Number(fields[at]));
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { cpuSeconds: ((utime ?? 0) + (stime ?? 0)) / 100, rss: bytes('VmRSS'), peakRss: bytes('VmHWM') };
}
