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

type Answer = Resized | ResizeFault;

/** Pictures decoded at once. A small machine has two cores, and each may take 200 MB. */
const atOnce = 2;
/** The process itself gives up after 15 seconds. If it does not answer by now, it is killed. */
const answerMs = 20_000;
/** Time after which an idle process ends, to free its memory. */
const idleMs = 60_000;
/** Characters kept of the process's output, whose end has the reason of a crash. */
const printedLength = 2_000;

/** Resizes pictures in a separate process, which starts with the first picture. */
export class Resizer {
  readonly #log: Logger;
  readonly #limit = new BulkheadPolicy(atOnce, Number.POSITIVE_INFINITY);
  readonly #waiting = new Map<number, { child: ChildProcess; answer(answer: Answer): void }>();
  #process: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  resize(job: ResizeJob, signal: AbortSignal): Promise<Answer> {
    return this.#limit.execute(() => {
      // Check the abort here, because the bulkhead would also cancel the callers queued behind.
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

  #send(job: ResizeJob): Promise<Answer> {
    clearTimeout(this.#idle);
    const child = this.#child();
    const id = this.#count++;
    return new Promise<Answer>((resolve) => {
      const timer = setTimeout(() => {
        answer({ fault: 'TOO_SLOW' });
        // The kill also ends the other job, whose caller may try again.
        this.#kill(child);
      }, answerMs);
      const answer = (answer: Answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.close(), idleMs).unref();
        resolve(answer);
      };
      this.#waiting.set(id, { child, answer });
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
    child.on('message', ({ id, ...answer }: Answer & { id: number }) =>
      this.#waiting.get(id)?.answer(answer),
    );
    const ended = () => {
      if (this.#process === child) this.#process = undefined;
      const { killed, exitCode, signalCode } = child;
      // A missing library or too little memory fails every picture until an operator repairs it.
      if (!killed)
        this.#log.error({ exitCode, signalCode, printed }, 'the process that makes pictures crashed');
      for (const one of [...this.#waiting.values()])
        if (one.child === child) one.answer({ fault: 'INTERRUPTED' });
    };
    // Not `exit`, because output may come after it.
    child.once('close', ended).on('error', ended);
    // The gateway can stop without waiting for it.
    child.unref();
    child.channel?.unref();
    (child.stderr as Socket | null)?.unref();
    return child;
  }
}
