import { expect, it } from 'vitest';
import { type CommerceRefusal, readRefusal } from '../clients/commerce/refusal.ts';
import { isProbablyUnread, reportOfFirstRefusal, reportOfRepeatedRefusal } from './refusal-report.ts';

const quota = 'SERVICE_ERROR: Quota limit exceeded!';
const misfit = '$schema path is invalid, file is not found';
const [refused, inconclusive, processed] = [
  'ANSWER_REFUSED',
  'ANSWER_INCONCLUSIVE',
  'ANSWER_PROCESSED',
] as const;

// Most pairs of status and text are undocumented; the service may send a new message with any status.
it.each([
  // These texts alone show whether the service has read the request.
  [400, 'DUPLICATE_EXTERNAL_ID', refused, inconclusive, 'read'],
  [422, 'DUPLICATE_EXTERNAL_ID', refused, inconclusive, 'read'],
  [500, 'DUPLICATE_EXTERNAL_ID', inconclusive, inconclusive, 'read'],
  [400, misfit, refused, refused, 'read'],
  [422, misfit, refused, refused, 'read'],
  [422, quota, refused, inconclusive, 'read'],
  [500, quota, refused, inconclusive, 'read'],
  [401, 'Missing header', refused, inconclusive, 'unread'],
  // For these texts the status decides.
  [400, 'no more of this today', refused, inconclusive, 'read'],
  [401, 'Unauthorized', refused, inconclusive, 'unread'],
  [422, 'no more of this today', refused, inconclusive, 'unread'],
  [401, 'KEY_ERROR: withdrawn', refused, inconclusive, 'unread'],
  [500, 'SERVICE_ERROR: a step failed', inconclusive, inconclusive, 'read'],
  // The service has received this request before.
  [400, 'Duplicate Request Error: Same requestId already logged', inconclusive, inconclusive, 'read'],
  [
    400,
    'Request Content Error: Current request already logged with status successful',
    refused,
    processed,
    'read',
  ],
])('a refusal with status %i and the text "%s" is classified', (status, text, first, repeated, read) => {
  const refusal = readRefusal({ kind: 'texts', texts: [text] }, status, []) as CommerceRefusal;
  expect([reportOfFirstRefusal(refusal), reportOfRepeatedRefusal(refusal)]).toEqual([first, repeated]);
  expect(isProbablyUnread(refusal) ? 'unread' : 'read').toBe(read);
});

it('a 500 that lists cancelled entries without the faulty entry proves nothing', () => {
  const message = 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error';
  const cancelled = { kind: 'entries' as const, entries: [{ externalId: 'a', message }] };
  const payload = [{ externalId: 'a' }, { externalId: 'b' }];
  const reports = [400, 500].map((status) =>
    reportOfFirstRefusal(readRefusal(cancelled, status, payload) as CommerceRefusal),
  );
  expect(reports).toEqual([refused, inconclusive]);
});
