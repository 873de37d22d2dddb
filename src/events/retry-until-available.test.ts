import { expect, it } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { retryUntilAvailable } from './retry-until-available.ts';

it('tries until the read works, and logs the outage once', async () => {
  const { log, lines } = capturedLog();
  const { signal } = new AbortController();
  let tries = 0;
  const read = async () => {
    if (++tries <= 3) throw new Error('the database is away');
    return 'rows';
  };
  expect(await retryUntilAvailable(log, signal, read)).toBe('rows');
  expect(lines().filter(({ level }) => Number(level) >= 30)).toMatchObject([
    { level: 40, err: { message: 'the database is away' } },
    { level: 30, msg: 'it works again' },
  ]);
});
