import type { Logger } from './log.ts';

/**
 * `npm start` forwards Ctrl-C to a process that already got it from the terminal, so one press is two signals
 * some milliseconds apart. A second press comes later than this.
 */
const samePressMs = 1_000;
/** Allowance for a busy process, which handles signals late. */
const heardWithinMs = 50;

/** A terminal that is closed sends SIGHUP. */
const defaultSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * On any of the signals runs `stop` and exits with 0, even if `stop` fails. A second press exits at once with 1.
 * Either way the next start resumes durable work.
 */
export function stopOnSignals(stop: () => Promise<void>, log: Logger, signals = defaultSignals): void {
  let stopping = false;
  let another = false;
  const onSignal = async (signal: string) => {
    if (another) process.exit(1);
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      setTimeout(() => {
        another = true;
      }, heardWithinMs).unref();
    }, samePressMs).unref();
    log.info({ signal }, 'stopping');
    await stop().then(
      () => log.info({ signal }, 'stopped'),
      (error: unknown) => log.error({ err: error }, 'stopping failed'),
    );
    process.exit(0);
  };
  for (const signal of signals) process.on(signal, () => void onSignal(signal));
}
