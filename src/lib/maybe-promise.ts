/** What is at hand, or will be. */
export type MaybePromise<T> = T | Promise<T>;

/** The next step; without a promise when there is nothing to wait for, since a page has a thousand such steps. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
