import { expect } from 'vitest';

/** The error of a promise that must reject. */
export function failure<E = Error>(promise: Promise<unknown>): Promise<E> {
  return promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error as E,
  );
}
