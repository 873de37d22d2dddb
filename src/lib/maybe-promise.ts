/** A value, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Runs `next` on the value, at once if it is not a promise: a page has a thousand such steps, and promises
 * are slow.
 */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
