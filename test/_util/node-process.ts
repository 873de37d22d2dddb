import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { project } from './gateway-process.ts';

export interface NodeProcess {
  pid: number;
  /** The match of the pattern in its output. */
  match: RegExpExecArray;
  output(): string;
  /** Stops it, and waits for its end. */
  stop(): Promise<void>;
}

/** Starts a program of the project, and waits until its output matches the pattern. */
export async function startProcess(
  script: string,
  env: Record<string, string>,
  ready: RegExp,
  parameters: readonly string[] = [],
): Promise<NodeProcess> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [script, ...parameters], {
    cwd: project,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  // Starting takes seconds; a minute covers a machine that is busy with other tests.
  for (const giveUpAt = Date.now() + 60_000; ; await sleep(50)) {
    const match = ready.exec(printed);
    if (match) return { pid: child.pid as number, match, output: () => printed, stop: () => end(child) };
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      await end(child);
      throw new Error(`${script} did not become ready:\n${printed}`);
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
