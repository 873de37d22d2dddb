/**
 * Runs `compose`, which starts several parts and adds each to `running`. If one fails, the parts started
 * before it are stopped, the last one first, and the error is thrown.
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
