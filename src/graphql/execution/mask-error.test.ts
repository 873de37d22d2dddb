import { GraphQLError } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import { capturedLog } from '../../../test/_util/captured-log.ts';
import { GatewayError } from '../../model/errors.ts';
import { subscribe } from '../../observability/telemetry.ts';
import { CallerLeft, errorMasker } from './mask-error.ts';

/** What a client and the operator see of an error. */
function masked(originalError: unknown) {
  const { log, lines } = capturedLog();
  let failures = 0;
  onTestFinished(subscribe('ownFailure', () => failures++));
  const error = new GraphQLError('hidden', { originalError: originalError as Error, path: ['field'] });
  const { message, path, extensions } = errorMasker(log, { introspection: true })(error);
  return { message, path, code: extensions.code, failures, levels: lines().map(({ level }) => level) };
}

const ofCallerLeft = new Error('a wait was aborted', {
  cause: new Error('its signal was', { cause: new CallerLeft() }),
});

it('an error because the caller left is no failure of the gateway', () => {
  const [quiet] = masked(ofCallerLeft).levels;
  expect(masked(ofCallerLeft)).toMatchObject({ path: ['field'], code: 'UPSTREAM_TIMEOUT', failures: 0 });
  const bug = masked(new Error('a bug'));
  expect(bug).toMatchObject({ path: ['field'], code: 'UNKNOWN_ERROR', failures: 1 });
  expect(bug.levels).not.toContain(quiet);
});

it('a typed error keeps its message, even if another caller that shared its work has left', () => {
  const fault = { code: 'UPSTREAM_UNAVAILABLE', message: 'away' } as const;
  expect(masked(new GatewayError(fault, { cause: ofCallerLeft }))).toMatchObject({ ...fault, levels: [] });
});

it.each([
  ['that PostgreSQL refuses for a NUL', Object.assign(new Error('invalid byte sequence'), { code: '22021' })],
  ['that is nested too deeply to be read', new RangeError('Maximum call stack size exceeded')],
])('a request %s is invalid input', (_what, error) => {
  expect(masked(error)).toMatchObject({ code: 'INVALID_INPUT', failures: 0 });
});
