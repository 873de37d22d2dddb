/**
 * Runs `compose`, which starts several parts and adds each to `running`. If one fails, the parts started
 * before it are stopped, the last one first, and the error is thrown.
 */
export async function startupScope<T>(compose: (running: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const running = new AsyncDisposableStack();
  try {
    return await compose(running);
  } catch (error) {
    // A part that also fails to stop must not hide why the start failed.
    await running.disposeAsync().catch(() => {});
    throw error;
  }
}
