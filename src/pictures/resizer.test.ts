import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@srr-gateway/common/log';
import { silent } from '@srr-gateway/common/testing/database';
import sharp from 'sharp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Resizer } from './resizer.ts';

/** The process ids of the children of this process that resize pictures. */
function resizeProcesses(): number[] {
  const children = readdirSync(`/proc/${process.pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${process.pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return children
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('resize-process'));
}

it('the resizer logs why its process ended, and starts another one for the next picture', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const resizer = new Resizer(createLogger({ level: 'info', name: 'test', destination }));
  onTestFinished(() => resizer.close());
  const large = { width: 6_000, height: 6_000, channels: 3 as const, background: '#123456' };
  const bytes = await sharp({ create: large }).png().toBuffer();
  const job = { bytes, width: 320, height: 320, format: 'webp' as const };
  const { signal } = new AbortController();

  const lost = resizer.resize(job, signal);
  const pid = await vi.waitUntil(() => resizeProcesses()[0], { timeout: 10_000 });
  process.kill(pid, 'SIGTERM');
  expect(await lost).toEqual({ fault: 'INTERRUPTED' });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, signalCode: 'SIGTERM', msg: 'the process that makes pictures crashed' },
  ]);

  expect(await resizer.resize(job, signal)).toMatchObject({ source: { width: 6_000, height: 6_000 } });
  resizer.close();
  expect(lines).toHaveLength(1);
});

it('the process ends when it has been idle for a minute, and starts again for the next picture', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const resizer = new Resizer(silent);
  onTestFinished(() => resizer.close());
  const create = { width: 40, height: 40, channels: 3 as const, background: '#123456' };
  const bytes = await sharp({ create }).png().toBuffer();
  const { signal } = new AbortController();
  const make = () => resizer.resize({ bytes, width: 320, height: 320, format: 'webp' }, signal);
  const source = { contentType: 'image/png', width: 40, height: 40 };

  expect(await make()).toMatchObject({ source });
  const first = resizeProcesses();
  vi.advanceTimersByTime(59_000);
  expect(await make()).toMatchObject({ source });
  vi.advanceTimersByTime(59_000);
  expect(resizeProcesses()).toEqual(first);
  const under = make();
  vi.advanceTimersByTime(2_000);
  expect(await under).toMatchObject({ source });
  expect(resizeProcesses()).toEqual(first);

  vi.advanceTimersByTime(60_000);
  await expect.poll(resizeProcesses).toEqual([]);
  expect(await make()).toMatchObject({ source });
});

it('a process that does not answer is killed, and another one makes the next picture', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const resizer = new Resizer(silent);
  onTestFinished(() => resizer.close());
  const create = { width: 40, height: 40, channels: 3 as const, background: '#123456' };
  const bytes = await sharp({ create }).png().toBuffer();
  const { signal } = new AbortController();
  const make = () => resizer.resize({ bytes, width: 320, height: 320, format: 'webp' }, signal);
  const source = { contentType: 'image/png', width: 40, height: 40 };

  expect(await make()).toMatchObject({ source });
  const [pid] = resizeProcesses() as [number];
  process.kill(pid, 'SIGSTOP');
  const lost = make();
  await setImmediate();
  vi.advanceTimersByTime(20_000);
  expect(await lost).toEqual({ fault: 'TOO_SLOW' });
  expect(await make()).toMatchObject({ source });
  expect(resizeProcesses()).not.toContain(pid);
});

it('pictures that wait behind those of disconnected callers are made', async () => {
  const resizer = new Resizer(silent);
  onTestFinished(() => resizer.close());
  const small = { width: 40, height: 40, channels: 3 as const, background: '#123456' };
  const bytes = await sharp({ create: small }).png().toBuffer();
  const job = { bytes, width: 320, height: 320, format: 'webp' as const };
  const staying = new AbortController();
  const leaving = new AbortController();
  const made = [staying, staying].map(({ signal }) => resizer.resize(job, signal));
  const left = [leaving, leaving, leaving].map(({ signal }) => resizer.resize(job, signal));
  made.push(resizer.resize(job, staying.signal));
  leaving.abort(new Error('left'));
  expect((await Promise.allSettled(left)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  expect(await Promise.all(made)).toHaveLength(3);
});

it('two pictures that take too much memory together are decoded one after the other', async () => {
  const resizer = new Resizer(silent);
  onTestFinished(() => resizer.close());
  const side = 3_700;
  const create = { width: side, height: side, channels: 3 as const, background: '#123456' };
  const bytes = await sharp({ create }).avif({ effort: 0 }).toBuffer();
  const { signal } = new AbortController();
  const job = { bytes, width: 320, height: 320, format: 'webp' as const };
  const source = { contentType: 'image/avif', width: side, height: side };

  const made = [job, job].map((one) => resizer.resize(one, signal));
  expect(await Promise.all(made)).toMatchObject([{ source }, { source }]);
  const [pid] = resizeProcesses();
  const [, peakKb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  expect(Number(peakKb)).toBeLessThan(450_000);
});

it('a picture that would take too much memory to decode is refused, even if it has few bytes', async () => {
  const resizer = new Resizer(silent);
  onTestFinished(() => resizer.close());
  const create = { width: 5_200, height: 5_200, channels: 3 as const, background: '#123456' };
  const bytes = await sharp({ create }).avif({ effort: 0 }).toBuffer();
  const job = { bytes, width: 320, height: 320, format: 'webp' as const };
  expect(await resizer.resize(job, new AbortController().signal)).toEqual({ fault: 'TOO_LARGE' });
});
