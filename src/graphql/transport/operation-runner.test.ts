import { createLogger } from '@srr-gateway/common/log';
import type { ExecutionResult } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createOperationRunner, type PreparedOperation } from './operation-runner.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const runner = createOperationRunner({} as never, { log, introspection: true });

/** A subscription whose start is finished by hand. */
function subscription() {
  const starting = Promise.withResolvers<AsyncGenerator<ExecutionResult>>();
  const state = { started: 0, cancelled: false, streamEnded: false };
  const operation = {
    isSubscription: true,
    work: {},
    contextValue: {
      end: () => {
        state.cancelled = true;
      },
    },
    envelope: {
      subscribe: () => {
        state.started++;
        return starting.promise;
      },
    },
  } as unknown as PreparedOperation;
  const stream = (async function* () {
    yield { data: { n: 1 } };
    yield { data: { n: 2 } };
  })();
  const end = stream.return.bind(stream);
  stream.return = (value) => {
    state.streamEnded = true;
    return end(value);
  };
  return { state, results: runner.run(operation), hasStarted: () => starting.resolve(stream) };
}

describe('a subscription', () => {
  it('starts with the first read, and gives its results until its reader leaves', async () => {
    const { state, results, hasStarted } = subscription();
    expect(state.started).toBe(0);
    hasStarted();
    expect(await results.next()).toEqual({ done: false, value: { data: { n: 1 } } });
    await results.return(undefined);
    expect(state).toEqual({ started: 1, cancelled: true, streamEnded: true });
  });

  it('is ended, without a wait, when its reader leaves while it starts', async () => {
    const { state, results, hasStarted } = subscription();
    const first = results.next();
    await results.return(undefined);
    expect(await first).toEqual({ done: true, value: undefined });
    expect(state).toEqual({ started: 1, cancelled: true, streamEnded: false });
    hasStarted();
    await expect.poll(() => state.streamEnded).toBe(true);
  });

  it('never starts when its reader leaves before', async () => {
    const { state, results } = subscription();
    await results.return(undefined);
    expect(await results.next()).toEqual({ done: true, value: undefined });
    expect(state.started).toBe(0);
  });
});
