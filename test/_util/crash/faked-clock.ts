import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** The wall clock of one process, which can be set while it runs; its monotonic clock is not changed. */
export interface FakedClock {
  /** The environment of the process. */
  env: Record<string, string>;
  /** Sets the clock this many hours ahead of the actual time. */
  set(hours: number): void;
  remove(): void;
}

/** A clock from Debian's libfaketime, which also applies to code that is not JavaScript. */
export function fakedClock(): FakedClock {
  if (!existsSync(library))
    throw new Error('This test sets the clock of a process. Install: apt-get install -y libfaketime');
  const directory = mkdtempSync(join(tmpdir(), 'clock-'));
  const file = join(directory, 'offset');
  const set = (hours: number) => writeFileSync(file, `${hours < 0 ? '' : '+'}${hours}h\n`);
  set(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      // Without this, libfaketime reads the file only every ten seconds.
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    remove: () => rmSync(directory, { recursive: true }),
  };
}
