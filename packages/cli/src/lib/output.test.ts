import { afterEach, expect, it, vi } from 'vitest';
import { printFile, progress } from './output.ts';

const { isTTY, columns } = process.stderr;
const stdoutIsTTY = process.stdout.isTTY;
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  Object.assign(process.stderr, { isTTY, columns });
  Object.assign(process.stdout, { isTTY: stdoutIsTTY });
});

it('a table is escaped only for a terminal', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  for (const terminal of [true, false]) {
    Object.assign(process.stdout, { isTTY: terminal });
    printFile('name\na\x1b[2Jb\n');
  }
  expect(write.mock.calls.map(([text]) => text)).toEqual(['name\na\\u001b[2Jb\n', 'name\na\x1b[2Jb\n']);
});

/** What a job with progress writes to a terminal. */
function written(width: number, term: string): string {
  vi.stubEnv('TERM', term);
  Object.assign(process.stderr, { isTTY: true, columns: width });
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const job = progress({ 'files uploaded': 2, 'records issued': 10 });
  job.set('files uploaded', 2);
  job.end();
  return write.mock.calls.map(([text]) => text).join('');
}

it('the progress bar fits on one line of a narrow terminal', () => {
  const lines = written(40, 'xterm').split('\r\x1b[2K').filter(Boolean);
  expect(lines.at(-1)).toBe('files uploaded 2/2, records issued 0/10\n');
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines.slice(0, -1)) expect(line.length).toBeLessThan(40);
  // There is no place for the bar, and the counts say more.
  expect(lines.at(-2)).toBe('files uploaded 2/2, records issued 0/10');
});

it('a dumb terminal gets lines instead of a progress bar', () => {
  expect(written(80, 'dumb')).toBe('files uploaded 2/2\n');
});
