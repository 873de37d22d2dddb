import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { type NodeProcess, startProcess } from '../_util/node-process.ts';

const size = 2 ** 30;
/** The memory that a running upload may add to an idle gateway. */
const allowed = 100 * 2 ** 20;
const token = 'a-token-of-this-test';

// Only Linux shows a process's memory in /proc, and its peak since a chosen moment.
describe.skipIf(process.platform !== 'linux')('a file of 1 GB through proxyUrl', () => {
  let directory: string;
  let sandbox: NodeProcess;
  let gateway: NodeProcess;
  let caller: GraphQLCaller;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'upload-memory-'));
    // The sandbox is a separate process, so that the test measures only the gateway.
    sandbox = await startProcess(
      'packages/sandbox/src/main.ts',
      { DATA_DIR: join(directory, 'sandbox'), SANDBOX_PORT: '0', SANDBOX_RPC_PORT: '0' },
      /^Sandbox +(\S+)$/m,
    );
    const info = (await (await fetch(sandbox.match[1] as string)).json()) as SandboxInfo;
    const { address, apiKey } = info.issuers[0] as SandboxInfo['issuers'][number];
    gateway = await startProcess(
      'src/main.ts',
      {
        DATA_DIR: join(directory, 'gateway'),
        PORT: '0',
        COMMERCE_URL: info.commerceUrl,
        SUBGRAPH_URL: info.subgraphUrl,
        IPFS_GATEWAYS: info.ipfsUrl,
        NODE_OPTIONS: collectOnSignal,
        ISSUERS: JSON.stringify([{ address, apiKey, tokens: [{ token, scopes: ['read', 'upload'] }] }]),
      },
      /^srr-gateway +(\S+)\/graphql$/m,
    );
    caller = new GraphQLCaller(gateway.match[1] as string, { authorization: `Bearer ${token}` });
    // Longer than both start time-outs, which end their own processes.
  }, 150_000);
  afterAll(async () => {
    await gateway?.stop();
    await sandbox?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('takes at most 100 MB of memory, and is stored completely', async () => {
    const path = join(directory, 'sparse.bin');
    const file = await open(path, 'w');
    await file.truncate(size);
    await file.close();
    const filename = `${randomUUID()}.bin`;
    const { createUploads } = await caller.data(
      `mutation { createUploads(input: { files: [{ filename: "${filename}", category: ARTWORK, size: "${size}" }] }) {
        uploads { proxyUrl contentType } userErrors { code message } } }`,
    );
    const [upload] = createUploads.uploads;

    const idle = await settle(gateway.pid);
    await forgetPeak(gateway.pid);
    let highestSample = 0;
    const sampling = new AbortController();
    const sampled = (async () => {
      while (!sampling.signal.aborted) {
        highestSample = Math.max(highestSample, (await memory(gateway.pid)).VmRSS);
        await sleep(50);
      }
    })();
    const startedAt = performance.now();
    const { status, hash } = await send(path, upload.proxyUrl, upload.contentType);
    const seconds = (performance.now() - startedAt) / 1000;
    sampling.abort();
    await sampled;
    // The kernel counts in batches for each processor, so either value may be slightly old.
    const peak = Math.max((await memory(gateway.pid)).VmHWM, highestSample);
    console.log(
      `1 GB through proxyUrl in ${seconds.toFixed(1)} s: idle ${mb(idle)}, peak ${mb(peak)} ` +
        `(+${mb(peak - idle)}; highest sample ${mb(highestSample)})`,
    );
    expect(status).toBe(200);
    expect(peak - idle).toBeLessThan(allowed);

    const stored = await vi.waitUntil(
      async () => {
        const { uploads } = await caller.data(
          `{ uploads(files: [{ filename: "${filename}", category: ARTWORK }]) { status size hash } }`,
        );
        return uploads[0].status === 'READY' && uploads[0];
      },
      { timeout: 90_000, interval: 250 },
    );
    expect(stored).toEqual({ status: 'READY', size: String(size), hash });
  }, 150_000);
});

/** Makes the gateway collect its garbage on SIGUSR2. */
const collectOnSignal = `--expose-gc --import=data:text/javascript,${encodeURIComponent("process.on('SIGUSR2',()=>gc())")}`;

/**
 * The memory of an idle process, after collecting the garbage of its start: that memory could be reused by
 * an upload that takes too much, and would hide it.
 */
async function settle(pid: number): Promise<number> {
  let lowest = (await memory(pid)).VmRSS;
  // The memory is returned to the system a little after each collection.
  for (let still = 0; still < 4; ) {
    process.kill(pid, 'SIGUSR2');
    await sleep(300);
    const now = (await memory(pid)).VmRSS;
    still = now < lowest - 2 ** 20 ? 0 : still + 1;
    lowest = Math.min(lowest, now);
  }
  return lowest;
}

/** The memory in bytes, as the kernel counts it. */
async function memory(pid: number): Promise<{ VmRSS: number; VmHWM: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
  return { VmRSS: of('VmRSS'), VmHWM: of('VmHWM') };
}

/** Resets the kernel's peak, because the start took more memory than an upload may. */
const forgetPeak = (pid: number) => writeFile(`/proc/${pid}/clear_refs`, '5');

const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;

/** Streams a file, and returns the hash of the sent bytes. */
async function send(path: string, url: string, contentType: string) {
  const digest = createHash('sha256');
  const sending = request(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': contentType, 'content-length': size },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sending.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  const hashing = new Transform({
    transform(piece: Buffer, _encoding, done) {
      digest.update(piece);
      done(null, piece);
    },
  });
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hashing, sending);
  return { status: await answered, hash: `sha256-${digest.digest('hex')}` };
}
