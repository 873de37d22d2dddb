import { expect, it } from 'vitest';
import { lineOf, toolError } from './tool-errors.ts';

it.each([
  ['SERVICE_ERROR', 'Try again in a few seconds, with the same arguments.'],
  ['QUOTA_EXCEEDED', 'Tell the user. Do not try again.'],
  ['RATE_LIMITED', 'Wait as long as the message says, or a minute.'],
  ['METADATA_INVALID', undefined],
])('the error %s states its next step', (code, next) => {
  expect(toolError({ code, message: 'm' }).next).toBe(next);
});

it('an upstream message is not attributed to the issuance service: it may be of the subgraph', () => {
  const fault = toolError({ code: 'UPSTREAM_TIMEOUT', message: 'Late.', upstreamMessage: 'Query timed out' });
  expect(lineOf(fault)).toMatch(
    /^UPSTREAM_TIMEOUT: Late\. The system behind the gateway says: Query timed out /,
  );
});

it.each([
  ['CURSOR_EXPIRED', { argument: 'transfersAfter', continueAfter: 'WyJjaGlsZCJd' }],
  ['UNKNOWN_ERROR', { errorId: '5a6b79b1' }],
])('the text of %s has the values that its next step names', (code, known) => {
  const fault = toolError({ code, message: 'm', ...known });
  for (const [name, value] of Object.entries(known)) {
    expect(lineOf(fault)).toContain(value);
    expect(fault.next).toContain(name === 'argument' ? 'this argument' : name);
  }
});
