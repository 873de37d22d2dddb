import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SubgraphError } from './failure.ts';
import { Head } from './head.ts';

describe('the newest block', () => {
  it('is requested twice a second while it is in use, and never after it was closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let reads = 0;
    const head = new Head(async () => ({ number: ++reads }));
    head.current();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reads).toBe(20);
    await vi.advanceTimersByTimeAsync(10_000);
    const idle = reads;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reads).toBe(idle);
    head.current();
    await vi.advanceTimersByTimeAsync(1_000);
    head.close();
    head.current();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reads).toBe(idle + 2);
  });

  it('is not polled for before the Retry-After of the subgraph', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let reads = 0;
    const head = new Head(async () => {
      reads++;
      throw new SubgraphError('RATE_LIMITED', { status: 429, retryAfterMs: 10_000 });
    });
    onTestFinished(() => head.close());
    head.current();
    await vi.advanceTimersByTimeAsync(10_499);
    expect(reads).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(reads).toBe(2);
  });

  it('is not requested again when it is closed during a request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const reads: ((block: { number: number }) => void)[] = [];
    const head = new Head(() => new Promise((resolve) => reads.push(resolve)));
    head.current();
    await vi.advanceTimersByTimeAsync(500);
    head.close();
    reads[0]?.({ number: 7 });
    await vi.advanceTimersByTimeAsync(10_000);
    head.current();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reads).toHaveLength(1);
  });

  it('stays unknown when a request for it that began before the invalidation is answered', async () => {
    const reads: ((block: { number: number }) => void)[] = [];
    const head = new Head(() => new Promise((resolve) => reads.push(resolve)));
    onTestFinished(() => head.close());
    head.current();
    await expect.poll(() => reads.length).toBe(1);
    head.invalidate();
    reads[0]?.({ number: 7 });
    await expect.poll(() => reads.length).toBe(2);
    expect(head.current()).toBeUndefined();
    reads[1]?.({ number: 8 });
    await expect.poll(() => head.current()).toEqual({ number: 8 });
  });

  it('is not set back by requests for it that other nodes of the subgraph answer, which lag behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let reads = 0;
    const head = new Head(async () => ({ number: 8 - (reads++ % 2) }));
    onTestFinished(() => head.close());
    head.current();
    await vi.advanceTimersByTimeAsync(500);
    for (let poll = 0; poll < 5; poll++) {
      expect(head.current()).toEqual({ number: 8 });
      await vi.advanceTimersByTimeAsync(500);
    }
  });

  it('is not set back by a late response of an older block, unless it is unknown by then', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const head = new Head(async () => ({ number: 8 }));
    onTestFinished(() => head.close());
    head.observe({ number: 8 }, head.generation);
    head.observe({ number: 7 }, head.generation);
    expect(head.current()).toEqual({ number: 8 });
    const replaced = { number: 8, hash: '0xb' };
    head.observe(replaced, head.generation);
    expect(head.current()).toEqual(replaced);
    vi.advanceTimersByTime(2_000);
    head.observe({ number: 7 }, head.generation);
    expect(head.current()).toEqual({ number: 7 });
  });
});

describe('the snapshot key', () => {
  it('is the hash of the newest block, and a different one after each invalidation', () => {
    const head = new Head(async () => ({ number: 7, hash: '0xa' }));
    onTestFinished(() => head.close());
    const keys = [head.snapshotKey()];
    head.observe({ number: 7, hash: '0xa' }, head.generation);
    expect(head.snapshotKey()).toBe('0xa');
    for (let i = 0; i < 2; i++) {
      head.invalidate();
      keys.push(head.snapshotKey());
    }
    expect(new Set([...keys, '0xa']).size).toBe(4);
  });
});
