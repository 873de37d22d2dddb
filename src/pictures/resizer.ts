import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Logger } from '@srr-gateway/common/log';
import { BulkheadPolicy } from 'cockatiel';
import type { PictureFormat } from './variant.ts';

/** A picture to be made from the bytes of another. */
export interface ResizeJob {
  bytes: Uint8Array;
  width: number;
  height: number;
  format: PictureFormat;
}

/** Facts of a picture, from its bytes. */
export interface PictureFacts {
  contentType: string;
  /** In pixels, after the EXIF orientation is applied. */
  width: number;
  height: number;
}

/** A resized picture, and the facts of its source. */
export interface Resized {
  picture: Uint8Array;
  source: PictureFacts;
}

/** Why there is no picture. */
export interface ResizeFault {
  fault: 'NOT_A_PICTURE' | 'TOO_LARGE' | 'TOO_SLOW' | 'INTERRUPTED';
}

export type ResizeResult = Resized | ResizeFault;

/** Pictures decoded at once: a small machine has two cores. Two that take much memory wait for each other. */
const jobsAtOnce = 2;
/** The process itself gives up after 15 seconds. If it has not answered after this time, it is killed. */
const answerMs = 20_000;
/** Time after which an idle process ends, to free its memory. */
const idleMs = 60_000;
/** Characters of the process's output that are kept: the reason of a crash is at the end. */
const printedLength = 2_000;

/** Resizes pictures in a separate process, which starts with the first picture. */
export class Resizer {
  readonly #log: Logger;
  readonly #limit = new BulkheadPolicy(jobsAtOnce, Number.POSITIVE_INFINITY);
  readonly #waiting = new Map<
    number,
    { child: ChildProcess; begun(): void; answer(answer: ResizeResult): void }
  >();
  #process: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  resize(job: ResizeJob, signal: AbortSignal): Promise<ResizeResult> {
    return this.#limit.execute(() => {
      // Check here. If the bulkhead had the signal, an aborted caller in its queue would block those behind it.
      signal.throwIfAborted();
      return this.#send(job);
    });
  }

  close(): void {
    clearTimeout(this.#idle);
    if (this.#process) this.#kill(this.#process);
  }

  #kill(child: ChildProcess): void {
    if (this.#process === child) this.#process = undefined;
    child.kill('SIGKILL');
  }

  #send(job: ResizeJob): Promise<ResizeResult> {
    clearTimeout(this.#idle);
    const child = this.#child();
    const id = this.#count++;
    return new Promise<ResizeResult>((resolve) => {
      const timer = setTimeout(() => {
        answer({ fault: 'TOO_SLOW' });
        // The kill also ends the other job, whose caller may try again.
        this.#kill(child);
      }, answerMs);
      const answer = (answer: ResizeResult) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.close(), idleMs).unref();
        resolve(answer);
      };
      this.#waiting.set(id, { child, begun: () => timer.refresh(), answer });
      // If the process has just ended, `send` fails, and the `close` handler answers.
      child.send({ ...job, id }, () => {});
    });
  }

  #child(): ChildProcess {
    if (this.#process) return this.#process;
    const child = fork(new URL('resize-process.ts', import.meta.url), {
      // No secrets. With more malloc arenas the process would keep the memory of finished pictures.
      env: { MALLOC_ARENA_MAX: '2' },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process = child;
    let printed = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-printedLength);
    });
    child.on('message', ({ id, ...message }: (ResizeResult | { begun: true }) & { id: number }) => {
      const waiting = this.#waiting.get(id);
      if ('begun' in message) waiting?.begun();
      else waiting?.answer(message);
    });
    const ended = () => {
      if (this.#process === child) this.#process = undefined;
      const { killed, exitCode, signalCode } = child;
      // Perhaps a library is missing or the memory too small: every picture fails until an operator fixes it.
      if (!killed)
        this.#log.error({ exitCode, signalCode, printed }, 'the process that makes pictures crashed');
      for (const one of [...this.#waiting.values()])
        if (one.child === child) one.answer({ fault: 'INTERRUPTED' });
    };
    // Not `exit`: output may still come after it.
    child.once('close', ended).on('error', ended);
    // The gateway can stop without waiting for it.
    child.unref();
    child.channel?.unref();
    (child.stderr as Socket | null)?.unref();
    return child;
  }
}
