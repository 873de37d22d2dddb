import type { Logger } from './log.ts';

/**
 * `npm start` forwards Ctrl-C to a process that already got it from the terminal, so one press arrives as two
 * signals some milliseconds apart. A person who presses again takes longer than this.
 */
const samePressMs = 1_000;
/** A busy process handles signals late: one sent within `samePressMs` is handled before this is over. */
const heardWithinMs = 50;

/**
 * On SIGTERM or SIGINT runs `stop` and exits with 0, also when `stop` fails. A second request exits at once
 * with 1. Either way the next start continues everything durable.
 */
export function stopOnSignals(stop: () => Promise<void>, log: Logger): void {
  let asked = false;
  let another = false;
  const onSignal = async (signal: string) => {
    if (another) process.exit(1);
    if (asked) return;
    asked = true;
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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void onSignal(signal));
}
