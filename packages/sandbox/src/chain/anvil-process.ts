import { spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from '@srr-gateway/common/log';
import { StartError } from '@srr-gateway/common/start-error';
import { sleep } from '@srr-gateway/common/time';
import { anvilArguments, anvilBinary } from './anvil-command.ts';
import { endProcess, isAlive, processCommand, processesWith } from './process-control.ts';

/** The node listens after some 50 ms; on a loaded machine it may need a hundred times as long. */
const startTimeoutMs = 10_000;

/** The node logs every call. A log above this size is emptied, so that it cannot fill the disk. */
const maxLogBytes = 4_000_000;

/** A node that runs in a process of its own, which outlives ours. */
export interface AnvilProcess {
  pid: number;
  port: number;
  /** True once `stop` was called: an exit after that is expected and not logged as an error. */
  stopping: boolean;
  /** Ends the node; it writes its state before it exits. */
  stop(): Promise<void>;
  /** Empties the node's log when it is too large; cheap enough to be called at every block. */
  truncateLog(): void;
}

interface Files {
  state: string;
  previousState: string;
  log: string;
  pid: string;
}

function filesIn(stateDir: string): Files {
  return {
    // An absolute path, which distinguishes the nodes of two sandboxes.
    state: resolve(stateDir, 'state.json'),
    previousState: join(stateDir, 'state.previous.json'),
    log: join(stateDir, 'anvil.log'),
    pid: join(stateDir, 'anvil.json'),
  };
}

/**
 * Starts a node on the state in `stateDir`; port 0 lets the node choose. Throws a `StartError` when anvil is
 * missing, the port is in use or the node exits, and an `Error` when it does not listen in time.
 */
export async function startAnvil(stateDir: string, port: number, log: Logger): Promise<AnvilProcess> {
  mkdirSync(stateDir, { recursive: true });
  const files = filesIn(stateDir);
  backUpState(files, log);
  writeFileSync(files.log, '');
  const output = openSync(files.log, 'a');
  // Detached: Ctrl-C in a terminal must reach only this process, or the node ends before we do.
  // Output goes to a file, not a pipe, so that the node survives when this process is killed.
  const child = spawn(anvilBinary(), anvilArguments({ port, statePath: files.state }), {
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.unref();
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause) => reject(startError(cause)));
    child.once('exit', (code) => reject(endError(code, port, lastLines(files.log))));
  });
  const { pid } = child;
  // Write the pid before the node listens: if we are killed here, the next start must find and end it.
  if (pid !== undefined) writePidFile(files, { pid });
  const realPort = await Promise.race([failed, readPort(files.log)]).catch(async (error: unknown) => {
    if (pid !== undefined) await endProcess(pid);
    rmSync(files.pid, { force: true });
    throw error;
  });
  child.removeAllListeners('exit');
  if (pid === undefined) throw new Error('a process that writes output has an id');
  writePidFile(files, { pid, port: realPort });
  const anvil = handle(pid, realPort, files);
  child.once('exit', (code) => {
    if (!anvil.stopping) log.error({ code }, 'anvil ended by itself; there is no chain until the next start');
  });
  return anvil;
}

/**
 * Ends the nodes on `stateDir` that its pid file does not name: a sandbox was killed and its directory deleted. They
 * would write their old chain over the new one. Call it before anything is written there.
 */
export async function endStrayNodes(stateDir: string): Promise<void> {
  const { state } = filesIn(stateDir);
  const known = findAnvil(stateDir)?.pid;
  const strays = processesWith(`--state ${state} `).filter((pid) => pid !== known);
  await Promise.all(strays.map((pid) => endProcess(pid, ['SIGKILL'])));
}

/**
 * The node that an earlier process left running on `stateDir`; `undefined` when there is none. Its port is 0
 * when that process was killed before the node listened.
 */
export function findAnvil(stateDir: string): AnvilProcess | undefined {
  const files = filesIn(stateDir);
  if (!existsSync(files.pid)) return undefined;
  try {
    const { pid, port } = JSON.parse(readFileSync(files.pid, 'utf8')) as PidFile;
    // The system reuses process ids: only a process whose command line names our state file is our node. One of
    // version 0.2 has its path as `stateDir` gives it.
    if (isAlive(pid) && processCommand(pid).includes(join(stateDir, 'state.json')))
      return handle(pid, port ?? 0, files);
  } catch {
    // The machine went down while the file was written: it names no process.
  }
  return undefined;
}

interface PidFile {
  pid: number;
  /** Absent before the node listens. */
  port?: number;
}

/** Writes a new file and renames it, so that a kill cannot leave a half-written one. */
function writePidFile(files: Files, content: PidFile): void {
  writeFileSync(`${files.pid}.new`, JSON.stringify(content));
  renameSync(`${files.pid}.new`, files.pid);
}

function handle(pid: number, port: number, files: Files): AnvilProcess {
  return {
    pid,
    port,
    stopping: false,
    async stop() {
      this.stopping = true;
      await endProcess(pid);
      rmSync(files.pid, { force: true });
    },
    truncateLog: () => {
      if (existsSync(files.log) && statSync(files.log).size > maxLogBytes) truncateSync(files.log);
    },
  };
}

/**
 * Copies the state file before the start, or restores the last copy when the file is truncated. The node
 * overwrites its state in place, so a crash during a write would otherwise lose the whole chain.
 */
function backUpState(files: Files, log: Logger): void {
  if (!existsSync(files.state)) return;
  try {
    JSON.parse(readFileSync(files.state, 'utf8'));
    copyFileSync(files.state, files.previousState);
  } catch {
    const fallback = existsSync(files.previousState);
    log.warn({ fallback }, 'the chain state file is truncated; restoring that of the last start');
    if (fallback) renameSync(files.previousState, files.state);
    else rmSync(files.state);
  }
}

async function readPort(logFile: string): Promise<number> {
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await sleep(10)) {
    const port = /Listening on [\d.]+:(\d+)/.exec(readFileSync(logFile, 'utf8'))?.[1];
    if (port) return Number(port);
  }
  throw new Error(`anvil did not listen within ${startTimeoutMs} ms: ${lastLines(logFile)}`);
}

function lastLines(logFile: string): string {
  return readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
}

function endError(code: number | null, port: number, said: string): Error {
  return /address.*in use/i.test(said)
    ? new StartError(
        `SANDBOX_RPC_PORT: port ${port} is in use by another program. Stop that one, or set SANDBOX_RPC_PORT to` +
          ' a free port.',
      )
    : new StartError(`The sandbox's chain did not start: anvil ended with code ${code} (${said}).`);
}

function startError(cause: NodeJS.ErrnoException): Error {
  return cause.code === 'ENOENT'
    ? new StartError(
        'The sandbox needs anvil, and no npm package has it for this platform. Install Foundry' +
          ' (https://getfoundry.sh) so that `anvil` is in PATH.',
        { cause },
      )
    : cause;
}
