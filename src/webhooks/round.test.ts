import { expect, it } from 'vitest';
import type { LeasedRow } from '../store/due-rows.ts';
import type { EventRow } from '../store/tables.ts';
import { Round } from './round.ts';

it('the time of an attempt comes from the clock of the database', () => {
  const readAt = new Date('2026-01-01T00:00:00Z');
  const endpoint = { status: 'ENABLED', attempts: 0, failing_since: null, cursor: '0', read_at: readAt };
  const config = {
    holdMs: 300_000,
    retryFirstMs: 5_000,
    failingAfterMs: 3_600_000,
    disableAfterMs: 432_000_000,
  };
  const round = new Round(endpoint as LeasedRow<'webhook_endpoint'>, config as never, 0);
  const attempt = { at: '2025-12-31T00:00:00Z', durationMs: 40, status: 503, excerpt: null, error: null };
  round.add(
    'id',
    { event: { cursor: '1', type: 'SRR_ISSUED' } as EventRow },
    { attempt, answer: 'UNANSWERED', retryAfterMs: undefined },
  );
  const recorded = new Date(round.results[0]?.attempt.at ?? 0).getTime();
  expect(Math.abs(recorded - readAt.getTime())).toBeLessThan(60_000);
});
