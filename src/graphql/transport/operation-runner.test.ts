import { type ExecutionResult, GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { operationRunner } from './operation-runner.ts';

/** A subscription that has started when the test calls `hasStarted`. */
async function subscription() {
  const starting = Promise.withResolvers<AsyncGenerator<ExecutionResult>>();
  const state = { started: 0, cancelled: false, streamEnded: false };
  const envelope = {
    parse,
    validate: () => [],
    contextFactory: async () => ({
      end: () => {
        state.cancelled = true;
      },
    }),
    subscribe: () => {
      state.started++;
      return starting.promise;
    },
  };
  const prepare = operationRunner(
    { getEnveloped: () => envelope } as never,
    () => new GraphQLError('masked', { extensions: { http: { status: 500 } } }),
    { textOf: ({ query }) => query },
  );
  const prepared = await prepare({} as never, { query: 'subscription { n }' });
  if ('status' in prepared) throw prepared.errors[0];
  const stream = (async function* () {
    try {
      yield { data: { n: 1 } };
      yield { data: { n: 2 } };
      throw new Error('a secret');
    } finally {
      state.streamEnded = true;
    }
  })();
  return {
    state,
    results: prepared.results,
    hasStarted: (of: AsyncGenerator<ExecutionResult> = stream) => starting.resolve(of),
    hasFailed: () => starting.reject(new Error('cancelled')),
  };
}

describe('a subscription', () => {
  it('starts with the first read, and yields results until its reader disconnects', async () => {
    const { state, results, hasStarted } = await subscription();
    expect(state.started).toBe(0);
    hasStarted();
    expect(await results.next()).toEqual({ done: false, value: { data: { n: 1 } } });
    await results.return(undefined);
    expect(state).toEqual({ started: 1, cancelled: true, streamEnded: true });
  });

  it('is cancelled at once, without a result, when its reader disconnects while it starts', async () => {
    const { state, results, hasStarted } = await subscription();
    const first = results.next();
    const left = results.return(undefined);
    expect(state).toEqual({ started: 1, cancelled: true, streamEnded: false });
    hasStarted();
    expect(await first).toEqual({ done: true, value: undefined });
    await left;
    expect(state.streamEnded).toBe(true);
  });

  it('yields no error when its start fails because its reader disconnected', async () => {
    const { results, hasFailed } = await subscription();
    const first = results.next();
    const left = results.return(undefined);
    hasFailed();
    expect(await first).toEqual({ done: true, value: undefined });
    await left;
  });

  it('never starts when its reader disconnects before the first read', async () => {
    const { state, results } = await subscription();
    await results.return(undefined);
    expect(await results.next()).toEqual({ done: true, value: undefined });
    expect(state.started).toBe(0);
  });

  it('that fails yields the masked error as its last result', async () => {
    const { results, hasStarted } = await subscription();
    hasStarted();
    const seen: ExecutionResult[] = [];
    for await (const result of results) seen.push(result);
    const masked = { errors: [{ message: 'masked' }] };
    expect(JSON.parse(JSON.stringify(seen))).toEqual([{ data: { n: 1 } }, { data: { n: 2 } }, masked]);
  });

  it('yields errors at their path, without an HTTP status', async () => {
    const { results, hasStarted } = await subscription();
    const extensions = { code: 'RATE_LIMITED', http: { status: 429 } };
    async function* refused() {
      yield { data: null, errors: [new GraphQLError('no', { path: ['n'], extensions })] };
    }
    hasStarted(refused());
    const { value } = await results.next();
    expect(JSON.parse(JSON.stringify(value.errors))).toEqual([
      { message: 'no', path: ['n'], extensions: { code: 'RATE_LIMITED' } },
    ]);
  });
});
