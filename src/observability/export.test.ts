import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished } from 'vitest';
import { startTraceCollector } from '../../test/_util/trace-collector.ts';
import { GatewayError } from '../model/errors.ts';
import { exportTraces } from './export.ts';
import { setOutcome, withSpan } from './trace.ts';

/** What a collector gets of spans that end in these ways, by their names. */
async function exported(spans: Record<string, () => Promise<unknown>>, attributes = {}) {
  const collector = await startTraceCollector();
  onTestFinished(() => collector.stop());
  const { url } = collector;
  const options = { url: `${url}/v1/traces`, headers: {}, log: silent, serviceName: 'test', ratio: 1 };
  const traces = exportTraces(options);
  onTestFinished(() => traces.stop());
  for (const [name, run] of Object.entries(spans))
    await withSpan({ name, kind: 'INTERNAL', attributes }, run).catch(() => {});
  await expect.poll(() => collector.spans.length).toBe(Object.keys(spans).length);
  return collector.spans;
}

const refused = new GatewayError({ code: 'NOT_FOUND', message: 'x', path: [] });
const fail = (error: Error, outcome?: string) => async () => {
  if (outcome) setOutcome(outcome);
  throw error;
};

it('the outcome of a span is what its work said, or its error, and a cancelled call has not failed', async () => {
  const spans = await exported({
    fine: async () => {},
    cancelled: fail(new Error('x'), 'CANCELLED'),
    said: fail(refused, 'UPSTREAM_TIMEOUT'),
    refused: fail(refused),
    broken: fail(new TypeError('a secret')),
  });
  expect(
    spans.map(({ name, failed, attributes }) => [
      name,
      failed,
      attributes['srr.outcome'],
      attributes['error.type'],
    ]),
  ).toEqual([
    ['fine', false, 'ok', undefined],
    ['cancelled', false, 'CANCELLED', undefined],
    ['said', true, 'UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT'],
    ['refused', true, 'NOT_FOUND', 'NOT_FOUND'],
    ['broken', true, 'TypeError', 'TypeError'],
  ]);
  expect(JSON.stringify(spans)).not.toContain('a secret');
});

it('a long attribute is cut', async () => {
  const [span] = await exported({ one: async () => {} }, { text: 'x'.repeat(300) });
  expect(span?.attributes.text).toBe('x'.repeat(256));
});
