import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Image } from './build.ts';
import { beside, isolated, type Mount } from './namespaces.ts';

/** The program of an image, run as by `docker run --read-only`: as process 1, with its volumes. */
export interface Container {
  /** The process id on this machine; inside it is 1. */
  pid: number;
  output(): string;
  /** Runs another command inside, as the user of the image or another; returns its exit code and output. */
  exec(command: readonly string[], uid?: number): Promise<{ code: number; output: string }>;
  /** Sends the image's stop signal and waits for the end, however long it takes. */
  stop(): Promise<{ code: number | null; tookMs: number }>;
  /** Kills it, if it has not ended. */
  kill(): Promise<void>;
}

/** Creates a volume with the files and owners that the image has at this path, like a container engine. */
async function volume(directory: string, { root }: Image, target: string): Promise<string> {
  const source = join(directory, target);
  await mkdir(dirname(source), { recursive: true });
  if (!existsSync(source)) execFileSync('cp', ['-a', join(root, target), source]);
  return source;
}

export interface RunOptions {
  env: Record<string, string>;
  /** A directory for the image's volumes. */
  volumes: string;
  /** More mounts. */
  mounts?: Mount[];
  /** A command that replaces that of the image. */
  command?: string[];
}

async function isolatedRun(image: Image, options: RunOptions, { uid, gid, home }: Image['user']) {
  const { root, workdir } = image;
  const { command = image.command } = options;
  const env = { HOME: home, ...image.env, ...options.env };
  const mounts = [...(options.mounts ?? [])];
  for (const target of image.volumes)
    mounts.push({ source: await volume(options.volumes, image, target), target });
  return { env, parameters: isolated({ root, readOnly: true, mounts, env, workdir, uid, gid, command }) };
}

/** Runs a command of an image as root, and waits for its end. */
export async function runOnce(image: Image, options: RunOptions): Promise<{ code: number; output: string }> {
  const { parameters } = await isolatedRun(image, options, { uid: 0, gid: 0, home: '/root' });
  return promisedExit('unshare', parameters);
}

export async function runContainer(image: Image, options: RunOptions): Promise<Container> {
  const { workdir, user } = image;
  const { uid } = user;
  const { env, parameters } = await isolatedRun(image, options, user);
  const child = spawn('unshare', parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const pid = await programOf(child, uid).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`The image's program did not start:\n${printed}`, { cause: error });
  });
  const killed = () => void (ended() || process.kill(pid, 'SIGKILL'));
  // Kills the container if the test run ends early.
  process.once('exit', killed);
  child.once('close', () => process.off('exit', killed));
  return {
    pid,
    output: () => printed,
    kill: async () => {
      if (ended()) return;
      const closed = once(child, 'close');
      killed();
      await closed;
    },
    exec: (inside, as = uid) =>
      promisedExit('nsenter', beside(pid, { uid: as, gid: as, env, workdir, command: inside })),
    stop: async () => {
      const startedAt = Date.now();
      const closed = once(child, 'close');
      process.kill(pid, image.stopSignal);
      const [code] = (await closed) as [number | null];
      return { code, tookMs: Date.now() - startedAt };
    },
  };
}

/** The process below `unshare`, as soon as it has its mounts and runs as the user of the image. */
async function programOf(unshare: ChildProcess, uid: number): Promise<number> {
  // Mounts take milliseconds; half a minute covers a machine that is busy with other tests.
  for (
    const giveUpAt = Date.now() + 30_000;
    Date.now() < giveUpAt && unshare.exitCode === null;
    await sleep(20)
  ) {
    const child = Number(readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8').trim());
    if (child > 0 && uidsOf(child)[0] === uid) return child;
  }
  throw new Error('no process of the image was seen');
}

/** Real, effective, saved and file system user of a process. */
export const uidsOf = (pid: number): number[] =>
  (/^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '').split('\t').map(Number);

function promisedExit(program: string, parameters: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, parameters, { timeout: 30_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}
