import type { Logger } from './log.ts';

/**
 * `npm start` passes Ctrl-C on to a process that the terminal has already told of it, so one press arrives
 * as two signals some milliseconds apart. A person who presses again takes longer than this.
 */
const samePressMs = 1_000;
/** A busy process hears of a signal late; one that came within the time is heard before this has passed too. */
const heardWithinMs = 50;

/**
 * Ends the process when it is asked to (SIGTERM, SIGINT): `stop` first, then exit 0. A second request ends
 * it at once with exit 1; everything durable is carried on by the next start.
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
