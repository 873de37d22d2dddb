import { expect } from 'vitest';

/** What a promise rejects with; it must reject. */
export function failure<E = Error>(promise: Promise<unknown>): Promise<E> {
  return promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error as E,
  );
}
