import { buildSchema, type ExecutionArgs, GraphQLError, parse } from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../model/errors.ts';
import type { Scope } from '../../model/scope.ts';
import { perEventContext, type ResultStream, subscriptionKey } from './per-event-context.ts';

const selecting = (fields: string) =>
  parse(`
    subscription Feed($after: String, $where: EventFilter, $detail: Boolean = false) {
      events(after: $after, where: $where) { ${fields} raw @include(if: $detail) }
    }
  `);
const document = selecting('cursor');

const caller = (over: { issuer?: string; apiKey?: string; scopes?: Scope[] } = {}): Caller => {
  const { issuer = '0x1', apiKey = 'a', scopes = ['read', 'issue'] } = over;
  const whose = issuer as `0x${string}`;
  return { kind: 'issuer', issuer: whose, scopes: new Set(scopes), credentials: { issuer: whose, apiKey } };
};

const key = (over: object = {}, contextValue: object = {}) =>
  subscriptionKey({
    document,
    operationName: 'Feed',
    variableValues: { after: 'x', detail: true },
    contextValue: { caller: caller(), languages: ['en'], ...contextValue },
    ...over,
  } as never);

describe('two subscriptions', () => {
  it('share an execution when only their cursors or the order of their scopes differ', () => {
    expect(key({ variableValues: { after: 'y', detail: true } })).toBe(key());
    expect(key({ variableValues: { detail: true } })).toBe(key());
    expect(key({}, { caller: caller({ scopes: ['issue', 'read'] }) })).toBe(key());
  });

  it.each([
    ['document', { document: selecting('cursor issuer') }, {}],
    ['operation', { operationName: 'Another' }, {}],
    ['variables', { variableValues: { after: 'x', detail: false } }, {}],
    ['filter', { variableValues: { after: 'x', detail: true, where: { tokenIds: ['1'] } } }, {}],
    ['language', {}, { languages: ['ja'] }],
    ['issuer', {}, { caller: caller({ issuer: '0x2' }) }],
    ['upstream key', {}, { caller: caller({ apiKey: 'b' }) }],
    ['scopes', {}, { caller: caller({ scopes: ['read'] }) }],
    ['credentials', {}, { caller: { kind: 'anonymous' } }],
  ])('do not share an execution when they differ in their %s', (_, over, context) => {
    expect(key(over, context)).not.toBe(key());
  });

  it('do not share an execution when another field uses the variable of the cursor too', () => {
    const twice = parse(
      'subscription ($after: String) { events(after: $after) { cursor } other(after: $after) }',
    );
    const nested = parse('subscription ($after: String) { events { list(after: $after) } }');
    for (const one of [twice, nested])
      expect(key({ document: one, variableValues: { after: 'x' } })).not.toBe(
        key({ document: one, variableValues: { after: 'y' } }),
      );
  });
});

/** The results of a subscription to this source, and what its context and source have seen. */
async function subscribed(source: () => AsyncGenerator<object>) {
  const end = vi.fn();
  const context = { caller: caller(), languages: [], signal: new AbortController().signal, end };
  let subscribe: ((args: ExecutionArgs) => Promise<unknown>) | undefined;
  const { onSubscribe } = perEventContext(
    () => context as never,
    () => new GraphQLError('masked'),
  );
  const setSubscribeFn = (given: typeof subscribe) => {
    subscribe = given;
  };
  onSubscribe?.({ setSubscribeFn } as never);
  const results = await subscribe?.({
    schema: buildSchema('type Query { n: Int } type Subscription { n: Int }'),
    document: parse('subscription { n }'),
    rootValue: { n: source },
    contextValue: context,
  });
  return { end, results: results as ResultStream };
}

describe('a subscription', () => {
  it('ends its feed when it is left', async () => {
    let ended = false;
    const { end, results } = await subscribed(async function* () {
      try {
        yield { n: 1 };
      } finally {
        ended = true;
      }
    });
    expect(await results.next()).toMatchObject({ value: { data: { n: 1 } } });
    await results.return?.();
    expect([ended, end.mock.calls.length]).toEqual([true, 1]);
  });

  it('has a typed error of its feed as a result, and is cut off by any other', async () => {
    const failing = (error: Error) =>
      // biome-ignore lint/correctness/useYield: it fails before its first event
      subscribed(async function* () {
        throw error;
      });
    const typed = await failing(new GatewayError({ code: 'UPSTREAM_UNAVAILABLE', message: 'away' }));
    expect(await typed.results.next()).toMatchObject({ done: false, value: { data: null } });
    const other = await failing(new Error('a bug'));
    await expect(other.results.next()).rejects.toThrow('masked');
  });
});
