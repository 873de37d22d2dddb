import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../access/caller.ts';
import type { Scope } from '../../model/scope.ts';
import { subscriptionKey } from './per-event-context.ts';

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
