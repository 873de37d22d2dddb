import { expect, it, onTestFinished, vi } from 'vitest';
import { issuerNumber } from '../../test/_util/event-store.ts';
import { ProbeLimit } from './probe-limit.ts';

it('an issuer may have thirty challenges and tests sent in each minute, whatever others have sent', () => {
  const limit = new ProbeLimit();
  let now = 120_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  for (let minute = 0; minute < 2; minute++) {
    for (let n = 0; n < 30; n++) limit.count(issuerNumber(1));
    expect(() => limit.count(issuerNumber(1))).toThrow('in a minute');
    limit.count(issuerNumber(2));
    now += 60_001;
  }
});
