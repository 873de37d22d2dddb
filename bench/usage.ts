import { existsSync, readFileSync } from 'node:fs';

/** Processor time and memory of a process. Linux counts the one in hundredths of a second, the other in pages. */
export function usageOf(pid: number | undefined): { cpuSeconds: number; rss: number } | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // The name before the closing bracket may hold anything.
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [utime, stime, pages] = [11, 12, 21].map((at) => Number(fields[at]));
  return { cpuSeconds: ((utime ?? 0) + (stime ?? 0)) / 100, rss: (pages ?? 0) * 4_096 };
}
