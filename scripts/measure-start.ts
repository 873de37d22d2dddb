import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// How long `npm start` takes from its launch to its first GraphQL answer, with everything embedded: in a new
// directory, and in one that it knows. Other work on the machine spoils the figures: the load is printed too.

/** A first start that takes longer makes a newcomer wonder whether it hangs. */
const limitMs = 5_000;
const runs = Number(process.argv[2] ?? 3);

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return String(port);
}

/** Processor seconds of a process so far; Linux only. */
function processorMs(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // User and system time, in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function start(directory: string): Promise<{ wallMs: number; processorMs: number | undefined }> {
  const [PORT, SANDBOX_PORT, SANDBOX_RPC_PORT] = await Promise.all([freePort(), freePort(), freePort()]);
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT,
      SANDBOX_PORT,
      SANDBOX_RPC_PORT,
      DATA_DIR: directory,
      LOG_LEVEL: 'warn',
    },
  });
  const ask = () =>
    fetch(`http://127.0.0.1:${PORT}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ sources { kind health } }"}',
    }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await ask())) {
    if (child.exitCode !== null) throw new Error('the gateway ended at its start');
    await sleep(10);
  }
  const figures = { wallMs: performance.now() - startedAt, processorMs: processorMs(child.pid as number) };
  child.kill('SIGTERM');
  await once(child, 'exit');
  return figures;
}

let best = Number.POSITIVE_INFINITY;
for (let run = 0; run < runs; run++) {
  const directory = mkdtempSync(join(tmpdir(), 'start-'));
  for (const kind of ['new', 'known']) {
    const { wallMs, processorMs: used } = await start(directory);
    if (kind === 'new') best = Math.min(best, wallMs);
    process.stdout.write(
      `${kind.padEnd(6)} directory: first answer after ${Math.round(wallMs)} ms` +
        ` (processor ${used ?? '?'} ms, load ${loadavg()[0]?.toFixed(1)})\n`,
    );
  }
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(
  `Best start in a new directory: ${Math.round(best)} ms; it should be under ${limitMs} ms.\n`,
);
process.exitCode = best < limitMs ? 0 : 1;
