import { expect, it } from 'vitest';
import { toolError } from './tool-errors.ts';

it.each([
  ['SERVICE_ERROR', 'Try again in a few seconds, with the same arguments.'],
  ['QUOTA_EXCEEDED', 'Tell the user. Do not try again.'],
  ['RATE_LIMITED', 'Wait as long as the message says.'],
  ['METADATA_INVALID', undefined],
])('the next step of %s', (code, next) => {
  expect(toolError({ code, message: 'm' }).next).toBe(next);
});
