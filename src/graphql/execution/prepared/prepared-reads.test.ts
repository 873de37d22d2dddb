import { EventEmitter } from 'node:events';
import type { Address } from '@srr-gateway/common/address';
import { createLogger } from '@srr-gateway/common/log';
import { buildSchema, parse } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { reply, serve } from '../../../../test/_util/http-server.ts';
import { anonymous, type Caller, type IssuerCaller } from '../../../access/caller.ts';
import { createCatalog } from '../../../catalog/catalog.ts';
import { createSubgraph } from '../../../clients/subgraph/subgraph.ts';
import { schema } from '../../schema/schema.ts';
import { type Context, type ContextDeps, contextFactory } from '../context.ts';
import type { Answer } from '../response-cache.ts';
import { prepareRead } from './prepare.ts';
import { PreparedReads, type PreparedReadsOptions } from './prepared-reads.ts';
import { SharedReads } from './shared-reads.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const block = { number: 7, hash: `0x${'7'.repeat(64)}`, timestamp: null };
const address = (n: number) => `0x${String(n).padStart(40, '0')}`;
const missing = address(404);

const prepare = (text: string, of = schema) => {
  const read = prepareRead(of, parse(text), undefined);
  if (!read) throw new Error('not a prepared read');
  return read;
};
const user = prepare('query ($address: Address!) { licensedUser(address: $address) { englishName } }');
const country = prepare('query ($address: Address!) { licensedUser(address: $address) { originalName } }');

/** Stands for the text of a request. */
const keyOf = (n: number, read = user) => `${[user, country].indexOf(read)} ${n}`;

interface Sent {
  query: string;
  variables: { where0?: { id_in: string[] } };
}

/** Prepared reads over a subgraph with every user but the missing one, which responds after `go`. */
async function readsOver({
  timeoutMs = 10_000,
  fails = (): boolean => false,
  sharedAnswers = undefined as PreparedReadsOptions['sharedAnswers'],
} = {}) {
  const gate = Promise.withResolvers<void>();
  const abortedIds: string[][] = [];
  const server = await serve(async (request, response) => {
    const ids = request.json<Sent>().variables.where0?.id_in;
    if (!ids) return reply(response, 200, { data: { _meta: { block, hasIndexingErrors: false } } });
    response.once('close', () => response.writableFinished || abortedIds.push(ids));
    await gate.promise;
    if (fails()) return reply(response, 200, { errors: [{ message: 'Query timed out' }] });
    const rows = ids.filter((id) => id !== missing);
    reply(response, 200, {
      data: {
        _meta: { block, hasIndexingErrors: false },
        list0: rows.map((id) => ({
          id,
          englishName: `user ${Number(id.slice(2))}`,
          originalName: 'somebody',
        })),
      },
    });
  });
  const subgraph = createSubgraph({ endpoints: [server.url], log, cache: true });
  onTestFinished(() => subgraph.close());
  const catalog = createCatalog({ subgraph, ipfs: {} as never, registryAddress: undefined, indexWaitMs: 0 });
  const contexts = contextFactory({ services: {}, authenticator: {}, catalog } as unknown as ContextDeps);
  const reads = new PreparedReads({
    contexts,
    subgraph,
    sharedAnswers,
    timeoutMs,
  });
  const ask = (n: number, { read = user, caller = anonymous as Caller, end = new EventEmitter() } = {}) => {
    const variables = { address: address(n) };
    return reads.execute({ read, key: keyOf(n, read), variables, caller, headers: {} }, end);
  };
  const bodyOf = async (executed: ReturnType<typeof ask>) => (await executed)?.answer?.body.toString();
  const requestedIds = () =>
    server.received.flatMap((one) => {
      const ids = one.json<Sent>().variables.where0?.id_in;
      return ids ? [ids.map((id) => Number(id.slice(2)))] : [];
    });
  /** The number of requests for pages, which this subgraph does not have. */
  const pages = () =>
    server.received.filter((one) => {
      const { query, variables } = one.json<Sent>();
      return !query.startsWith('query Meta') && !variables.where0?.id_in;
    }).length;
  const invalidateHead = subgraph.invalidateHead;
  return { reads, ask, bodyOf, requestedIds, pages, go: gate.resolve, abortedIds, invalidateHead };
}

const bodyWith = (name: string | null) =>
  JSON.stringify({ data: { licensedUser: name === null ? null : { englishName: name } } });

describe('single rows that callers request in the same turn of the event loop', () => {
  it('are read with one request to the subgraph, and each caller gets its own row', async () => {
    const { ask, bodyOf, requestedIds, go } = await readsOver();
    go();
    const answers = await Promise.all([1, 404, 2, 1].map((n) => bodyOf(ask(n))));
    expect(answers).toEqual([bodyWith('user 1'), bodyWith(null), bodyWith('user 2'), bodyWith('user 1')]);
    expect(requestedIds()).toEqual([[1, 404, 2]]);
  });

  it('are not read together with those of another document or a later turn', async () => {
    const { ask, bodyOf, requestedIds, go } = await readsOver();
    const [first, other] = [ask(1), ask(1, { read: country })];
    await expect.poll(requestedIds).toHaveLength(2);
    const later = [ask(1), ask(2)];
    go();
    expect(await bodyOf(other)).toContain('somebody');
    expect(await Promise.all([first, ...later].map(bodyOf))).toEqual(
      ['user 1', 'user 1', 'user 2'].map(bodyWith),
    );
    expect(requestedIds()).toEqual([[1], [1], [2]]);
  });

  it('stay requested when one caller disconnects, until all have disconnected', async () => {
    const { ask, bodyOf, requestedIds, go, abortedIds } = await readsOver();
    const ends = [1, 2, 3, 4].map(() => new EventEmitter());
    const askAs = (n: number) => ask(n, { end: ends[n - 1] });
    const all = [1, 2].map(askAs);
    await expect.poll(requestedIds).toHaveLength(1);
    ends[0]?.emit('close');
    const gone = [3, 4].map(askAs);
    await expect.poll(requestedIds).toHaveLength(2);
    for (const end of ends.slice(2)) end.emit('close');
    expect(await Promise.all(gone)).toEqual([undefined, undefined]);
    await expect.poll(() => abortedIds).toEqual([[address(3), address(4)]]);
    go();
    expect(await Promise.all(all.map(bodyOf))).toEqual([bodyWith('user 1'), bodyWith('user 2')]);
    expect(await bodyOf(ask(3))).toBe(bodyWith('user 3'));
  });

  it('are left to the GraphQL server after the timeout', async () => {
    const { ask, go } = await readsOver({ timeoutMs: 50 });
    expect(await Promise.all([ask(1), ask(2)])).toEqual([undefined, undefined]);
    go();
  });

  it('are left to the GraphQL server when their request fails, and then requested again', async () => {
    let failing = true;
    const { ask, bodyOf, go } = await readsOver({ fails: () => failing });
    go();
    for (const executed of await Promise.all([ask(1), ask(2)])) expect(executed).not.toHaveProperty('answer');
    failing = false;
    expect(await bodyOf(ask(1))).toBe(bodyWith('user 1'));
  });
});

/** A schema whose `licensedUser` is the kind of its caller, read at the newest block. */
function callerDependentSchema() {
  const own = buildSchema('type Query { licensedUser(address: String): String }');
  Object.assign(own.getQueryType()?.getFields().licensedUser ?? {}, {
    resolve: async (_: unknown, args: { address: Address }, { caller, loaders }: Context) => {
      await loaders.reads.licensedUser(args.address, 'englishName');
      return caller.kind;
    },
  });
  return own;
}

describe('a prepared document', () => {
  const row = 'licensedUser(address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed") { address }';
  const page = 'licensedUsers(first: 1) { edges { node { address } } }';
  it('is prepared once for each operation of the document', async () => {
    const { reads } = await readsOver();
    const query = `query A { ${row} } query B { ${page} }`;
    const { onExecute } = reads.plugin as { onExecute(event: object): void };
    const execute = (operationName: string) =>
      onExecute({
        args: { schema, document: parse(query), operationName, contextValue: { params: { query } } },
      });
    execute('A');
    const first = reads.find(query, 'A');
    execute('B');
    execute('A');
    const second = reads.find(query, 'B');
    expect(reads.find(query, 'A')).toBe(first);
    expect([first?.fields, second?.fields]).toEqual([['licensedUser'], ['licensedUsers']]);
    expect(reads.find(query, undefined)).toBeUndefined();
  });
});

describe('an execution', () => {
  it('is shared by equal requests, and its response is cached for its block', async () => {
    const { reads, ask, bodyOf, requestedIds, go } = await readsOver();
    const all = [ask(1), ask(1)];
    go();
    expect((await Promise.all(all)).map((one) => one?.cacheStatus)).toEqual([
      'fwd=miss',
      'fwd=miss; collapsed',
    ]);
    expect(requestedIds()).toEqual([[1]]);
    const cached = reads.cached({ read: user, key: keyOf(1), caller: anonymous });
    expect(cached?.body).toBe(await bodyOf(ask(1)));
  });

  it('that has ended leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await new SharedReads(() => ({}) as never, 10_000).run(async () => {});
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not shared with a caller that asks after the newest block was invalidated', async () => {
    const { ask, bodyOf, requestedIds, go, invalidateHead } = await readsOver();
    const before = ask(1);
    await expect.poll(requestedIds).toHaveLength(1);
    invalidateHead();
    const after = ask(1);
    go();
    expect(await Promise.all([before, after].map(bodyOf))).toEqual(Array(2).fill(bodyWith('user 1')));
    expect(requestedIds()).toEqual([[1], [1]]);
  });

  it('of a page does not share its reads with another page, since each pins its own block', async () => {
    const { reads, pages } = await readsOver();
    const read = prepare(
      'query ($first: Int) { licensedUsers(first: $first) { edges { node { address } } } }',
    );
    const ask = (first: number) =>
      reads.execute(
        { read, key: `${first}`, variables: { first }, caller: anonymous, headers: {} },
        new EventEmitter(),
      );
    await Promise.all([ask(1), ask(2)]);
    expect(pages()).toBe(2);
  });

  it('that depends on its caller is left to the GraphQL server once, then not shared with issuers', async () => {
    const { reads, ask, bodyOf, go } = await readsOver();
    go();
    // A response is cached only once the newest block is known.
    await ask(2);
    const read = prepare(
      'query ($address: String) { licensedUser(address: $address) }',
      callerDependentSchema(),
    );
    const issuer: Caller = { kind: 'issuer' } as IssuerCaller;
    const both = () => Promise.all([ask(1, { read }), ask(1, { read, caller: issuer })].map(bodyOf));
    expect(await both()).toEqual([undefined, undefined]);
    const kinds = ['anonymous', 'issuer'].map((licensedUser) => JSON.stringify({ data: { licensedUser } }));
    expect(await both()).toEqual(kinds);
    const key = keyOf(1, read);
    expect(reads.cached({ read, key, caller: anonymous })?.body).toBe(kinds[0]);
    expect(reads.cached({ read, key, caller: issuer })).toBeUndefined();
    const preparedAnew = { ...read, usesCaller: false };
    expect(reads.cached({ read: preparedAnew, key, caller: issuer })).toBeUndefined();
  });

  it('that depends on its caller is never served to an issuer from the cache of replicas', async () => {
    const own = callerDependentSchema();
    const stored = new Map<string, Answer>();
    const sharedAnswers = {
      find: async (_block: string, key: string) => stored.get(key),
      keep: (_block: string, key: string, answer: Answer) => void stored.set(key, answer),
    } as never;
    const replica = async () => {
      const { ask, go } = await readsOver({ sharedAnswers });
      go();
      // This read makes the newest block known; without it, the cache that replicas share is not read.
      await ask(2);
      const read = prepare('query ($address: String) { licensedUser(address: $address) }', own);
      return async (caller: Caller) => {
        const executed = await ask(1, { read, caller });
        return `${executed?.answer?.body}, ${executed?.cacheStatus}`;
      };
    };
    const issuer: Caller = { kind: 'issuer' } as IssuerCaller;
    const answer = (licensedUser: string) => JSON.stringify({ data: { licensedUser } });
    const [one, other] = [await replica(), await replica()];
    expect(await one(anonymous)).toBe('undefined, fwd=miss');
    expect(await one(anonymous)).toBe(`${answer('anonymous')}, fwd=miss`);
    expect(stored.size).toBe(2);
    // The first read finds out that the result depends on the caller; the second is for this caller alone.
    expect(await other(issuer)).toBe('undefined, fwd=miss');
    expect(await other(issuer)).toBe(`${answer('issuer')}, fwd=miss`);
    const hit = `${answer('anonymous')}, hit; detail=replica`;
    expect(await Promise.all([other(anonymous), other(anonymous)])).toEqual([hit, hit]);
  });
});
