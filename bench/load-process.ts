import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { usageOf } from './usage.ts';

/** A load in a separate process, so that it does not slow down the process that reads the figures. */
export interface LoadProcess<Request, Answer> {
  /** Sends a message to the process and waits for its next message. */
  ask(request: Request): Promise<Answer>;
  /** The process's next message. @throws when the process ends before it. */
  hear(): Promise<Answer>;
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** @param script Under `bench/`. */
export function loadProcess<Request extends object, Answer>(script: string): LoadProcess<Request, Answer> {
  const child = fork(join(import.meta.dirname, script));
  const gone = once(child, 'exit');
  const failed = gone.then(([code]) => {
    throw new Error(`${script} ended with ${code}`);
  });
  failed.catch(() => {});
  const hear = async () => (await Promise.race([once(child, 'message'), failed]))[0] as Answer;
  return {
    ask: (request) => {
      const answer = hear();
      child.send(request);
      return answer;
    },
    hear,
    cpuSeconds: () => usageOf(child.pid)?.cpuSeconds ?? 0,
    stop: async () => {
      child.kill();
      await gone.catch(() => {});
    },
  };
}
