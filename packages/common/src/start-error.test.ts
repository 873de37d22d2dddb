import { expect, it } from 'vitest';
import { listenError, reasonOf } from './start-error.ts';

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

it('a host name that does not resolve is reported by its variable', () => {
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere'), { syscall: 'getaddrinfo' });
  expect(String(listenError(error, 'nowhere', 4000))).toBe(
    'StartError: HOST, PORT: cannot listen on nowhere, port 4000 (getaddrinfo ENOTFOUND nowhere).',
  );
});
