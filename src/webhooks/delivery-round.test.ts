import { expect, it } from 'vitest';
import type { LeasedRow } from '../store/due-rows.ts';
import type { EventRow } from '../store/tables.ts';
import type { DeliveryResult, DeliveryRow } from './deliveries.ts';
import { DeliveryRound } from './delivery-round.ts';

const readAt = new Date('2026-01-01T00:00:00Z');
const config = {
  holdMs: 300_000,
  retryFirstMs: 5_000,
  retryForMs: 259_200_000,
  failingAfterMs: 3_600_000,
  disableAfterMs: 432_000_000,
};
const event = { cursor: '1', type: 'SRR_ISSUED' } as EventRow;
const attempt = { at: '2025-12-31T00:00:00Z', durationMs: 40, status: 503, excerpt: null, error: null };

function roundAt(cursor: string, read_at = readAt): DeliveryRound {
  const place = { id: 'one', url: 'https://partner.example/', cursor };
  const endpoint = { ...place, status: 'ENABLED', attempts: 0, failing_since: null, read_at };
  return new DeliveryRound(endpoint as LeasedRow<'webhook_endpoint'>, config as never, 0);
}

it('the time of an attempt comes from the clock of the database', () => {
  const round = roundAt('0');
  round.add('id', { event }, { attempt, outcome: 'UNANSWERED', retryAfterMs: undefined });
  const recorded = new Date(round.results[0]?.attempt.at ?? 0).getTime();
  expect(Math.abs(recorded - readAt.getTime())).toBeLessThan(60_000);
});

it('the pauses of a redelivered delivery begin with the first again', () => {
  const first_at = new Date(readAt.getTime() - 10_000);
  const before = Array(20).fill(attempt);
  const attempts = [...before, { ...attempt, at: first_at.toISOString() }];
  const round = roundAt('1');
  const retry = { first_at, attempts } as DeliveryRow;
  round.add('id', { event, retry }, { attempt, outcome: 'REFUSED', retryAfterMs: undefined });
  // The second of the pauses, which are between half and all of 5, 10, 20, … seconds.
  const { nextInMs } = round.results[0] as DeliveryResult;
  expect(nextInMs).toBeGreaterThanOrEqual(5_000);
  expect(nextInMs).toBeLessThanOrEqual(10_000);
});

it('an endpoint that is disabled again after it was enabled is another event', () => {
  const [first, second] = [0, 60_000].map((laterMs) => {
    const round = roundAt('0', new Date(readAt.getTime() + laterMs));
    round.add('id', { event }, { attempt, outcome: 'GONE', retryAfterMs: undefined });
    return round.disabledEvent().dedupe;
  });
  expect(first).not.toBe(second);
});
