/** Runs tasks one after the other, in the order of the calls; a task that fails does not stop the next. */
export function createSerial(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task, task);
    last = result.catch(() => {});
    return result;
  };
}
