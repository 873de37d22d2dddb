import { expect, it } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { retryUntilAvailable } from './retry-until-available.ts';

it('a read is retried until it succeeds, and the outage is logged once', async () => {
  const { log, lines } = capturedLog();
  const { signal } = new AbortController();
  let attempts = 0;
  const read = async () => {
    if (++attempts <= 3) throw new Error('the database is unavailable');
    return 'rows';
  };
  expect(await retryUntilAvailable(log, signal, read)).toBe('rows');
  expect(lines().filter(({ level }) => Number(level) >= 30)).toMatchObject([
    { level: 40, err: { message: 'the database is unavailable' } },
    { level: 30, msg: 'it works again' },
  ]);
});
