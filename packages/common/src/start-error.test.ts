import { expect, it } from 'vitest';
import { reasonOf } from './start-error.ts';

it.each([
  [new Error('two\n  lines '), 'two lines'],
  // As Node throws it after attempts at several addresses of a host.
  [
    new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), new Error('another')]),
    /^connect .*5432$/,
  ],
  ['no error', 'no error'],
])('the reason of an error is one line: %#', (error, reason) => {
  expect(reasonOf(error)).toMatch(reason);
});
