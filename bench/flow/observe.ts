import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Checkpoint } from '../../src/issuance/checkpoint.ts';
import type { Note } from './notes.ts';

/**
 * Loaded into the gateway by `--import`: records when each issuance waits for an upstream, and when the
 * webhook arrives that settles it. Uses only diagnostics channels, so the gateway itself is unchanged. On
 * SIGUSR2 it collects garbage, and writes its notes and the resource usage of the process to BENCH_FILE.
 */
const file = process.env.BENCH_FILE;
const { gc } = globalThis;
if (!file || !gc) throw new Error('BENCH_FILE must name a file, and node must run with --expose-gc');

/** The current work: an issuance whose lease is held, or an incoming request. */
const work = new AsyncLocalStorage<{ issuance?: string; arrivedAt?: bigint }>();
let notes: Note[] = [];
/** The clock that all processes of the machine share. */
const now = () => process.hrtime.bigint();

subscribe('http.server.request.start', () => work.enterWith({ arrivedAt: now() }));
subscribe('srr-gateway:issuance', (message) => {
  const { name, issuance } = message as { name: Checkpoint; issuance: string };
  const arrivedAt = work.getStore()?.arrivedAt;
  if (name === 'leased') work.enterWith({ issuance });
  if (name === 'stored' || name === 'leased') notes.push({ kind: name, issuance, at: String(now()) });
  if (name === 'settling' && arrivedAt) notes.push({ kind: 'outcome', issuance, at: String(arrivedAt) });
});

const calls = new WeakMap<object, { issuance: string; path: string; from: bigint }>();
const requestOf = (message: unknown) => (message as { request: { path: string } }).request;
subscribe('undici:request:create', (message) => {
  const request = requestOf(message);
  const issuance = work.getStore()?.issuance;
  if (issuance) calls.set(request, { issuance, path: request.path, from: now() });
});
// Before that the request may wait for a connection, which counts as the gateway's overhead.
subscribe('undici:client:sendHeaders', (message) => {
  const call = calls.get(requestOf(message));
  if (call) call.from = now();
});
for (const end of ['undici:request:trailers', 'undici:request:error'])
  subscribe(end, (message) => {
    const call = calls.get(requestOf(message));
    if (!call) return;
    const { issuance, path, from } = call;
    notes.push({ kind: 'call', issuance, path, from: String(from), to: String(now()) });
  });

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on('SIGUSR2', () => {
  gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  const loopDelayMs = delay.percentile(99) / 1e6;
  delay.reset();
  const { user, system } = process.cpuUsage();
  notes.push({ kind: 'process', rss, heapUsed, external, loopDelayMs, cpuMs: (user + system) / 1000 });
  appendFileSync(file, `${notes.map((note) => JSON.stringify(note)).join('\n')}\n`);
  notes = [];
});
