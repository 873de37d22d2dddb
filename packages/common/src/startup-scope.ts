/**
 * Starts what `compose` puts together of several parts. When one of them fails, those that were started
 * before it are stopped, the last one first.
 */
export async function startupScope<T>(compose: (running: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const running = new AsyncDisposableStack();
  try {
    return await compose(running);
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
