import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { newCallerAddress } from '../_util/caller-address.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { startLoneGateway } from '../_util/lone-gateway.ts';
import { postMcp } from '../_util/mcp-client.ts';
import { metric } from '../_util/metrics.ts';
import { waitForFreshMinute } from '../_util/rate-limit-minute.ts';

/** A minute's budget of one caller, and the most that one operation may cost: as much as a page of 224 records. */
const [COST_LIMIT, MAX_COST] = [1_000, 897];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { TRUSTED_PROXIES: '1', COST_LIMIT: String(COST_LIMIT), MAX_COST: String(MAX_COST) },
  });
});
afterAll(() => gateway?.stop());
beforeEach(() => waitForFreshMinute());

const page = 'query ($first: Int!) { srrs(first: $first) { edges { node { tokenId owner } } } }';
/** The same page as a document of its own, whose answers are in no cache. */
const newPage = () => `# ${randomUUID()}\n${page}`;

const somebody = () => ({ 'x-forwarded-for': newCallerAddress() });

async function ask(first: number, headers: Record<string, string>, query = page, more: object = {}) {
  const response = await fetch(`${gateway.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables: { first, ...more } }),
  });
  return { response, answer: await response.json() };
}

/** What is left of the budget for cost, as the header says; undefined when nothing was taken from it. */
const left = ({ headers }: Response) => /"cost";r=(\d+);t=\d+/.exec(headers.get('ratelimit') ?? '')?.[1];

/** A WebSocket client at an address. `over` returns the result of a page, or throws its errors. */
function socket(address: Record<string, string>) {
  class Forwarded extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, { headers: address });
    }
  }
  const client = createClient({
    url: `${gateway.app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Forwarded,
  });
  const over = async (first: number) => {
    for await (const result of client.iterate({ query: page, variables: { first } })) return result;
    return undefined;
  };
  return { client, over };
}

describe('the cost of operations', () => {
  it('is reported on request, with the remaining budget', async () => {
    const { response, answer } = await ask(10, { ...somebody(), 'graphql-cost': 'report' });
    const { cost } = answer.extensions;
    expect(cost).toEqual({
      asked: expect.any(Number),
      allowed: MAX_COST,
      left: expect.any(Number),
      limit: COST_LIMIT,
    });
    expect(cost.asked).toBeGreaterThan(20);
    expect(cost.left).toBe(COST_LIMIT - cost.asked);
    expect(left(response)).toBe(String(cost.left));
    expect(response.headers.get('ratelimit-policy')).toContain(`"cost";q=${COST_LIMIT};w=60`);
    expect((await ask(10, somebody())).answer.extensions).toBeUndefined();
  });

  it('is reported without a budget to a caller without a limit', async () => {
    const other = await startLoneGateway({ COST_LIMIT: '0' });
    onTestFinished(() => other.stop());
    const response = await fetch(`${other.app.url}/graphql?query={__typename}`, {
      headers: { 'graphql-cost': 'report' },
    });
    expect(await response.json()).toEqual({
      data: { __typename: 'Query' },
      extensions: { cost: { asked: 1, allowed: 100_000, left: null, limit: null } },
    });
  });

  it('is charged for executed operations and prepared reads, but not for a cache hit', async () => {
    const caller = somebody();
    const seen: (string | undefined)[] = [];
    const cached: (string | null)[] = [];
    const query = newPage();
    for (const first of [3, 4, 4]) {
      const { response } = await ask(first, caller, query);
      seen.push(left(response));
      cached.push(response.headers.get('cache-status'));
    }
    expect(cached).toEqual([null, 'srr-gateway; fwd=miss', 'srr-gateway; hit']);
    expect(Number(seen[0])).toBeLessThan(COST_LIMIT);
    expect(Number(seen[1])).toBeLessThan(Number(seen[0]));
    expect(seen[2]).toBeUndefined();
  });

  it('is charged once for a prepared read that graphql-js has to finish', async () => {
    const caller = somebody();
    const query = `query ($first: Int!) { srrs(first: 3) { edges { cursor } }
      failing: srrs(first: $first, after: "no cursor") { edges { cursor } } }`;
    const budget = async () => Number(left((await ask(3, caller, query)).response));
    const [first, second, third] = [await budget(), await budget(), await budget()];
    expect(first).toBeLessThan(COST_LIMIT);
    expect([first - second, second - third]).toEqual(Array(2).fill(COST_LIMIT - first));
  });

  it('above the remaining budget is refused, with a page size that still fits', async () => {
    const caller = somebody();
    const query = newPage();
    const { answer: first } = await ask(100, { ...caller, 'graphql-cost': 'report' }, query);
    expect(first.errors).toBeUndefined();
    // The document is known by now, so these are prepared reads.
    for (let n = 110; (await ask(n, caller, query)).response.status === 200; n++);
    const { response, answer } = await ask(200, caller, query);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const [error] = answer.errors;
    expect(error.message).toMatch(
      /^This operation costs \d+, and \d+ of 1000 in a minute are left \(COST_LIMIT\)\./,
    );
    const { code, cost, fits } = error.extensions;
    expect(code).toBe('RATE_LIMITED');
    expect(cost.asked).toBeGreaterThan(cost.left);
    expect(error.message).toContain(`lists of at most ${fits.first} elements it fits`);
    expect((await ask(fits.first + 1, caller, query)).response.status).toBe(429);
    expect((await ask(fits.first, caller, query)).response.status).toBe(200);
  });

  it('above MAX_COST is refused with a page size that fits, and is not charged', async () => {
    const caller = somebody();
    const { response, answer } = await ask(900, caller);
    expect(response.status).toBe(400);
    const { code, limit, allowed, fits } = answer.errors[0].extensions;
    expect({ code, limit, allowed }).toEqual({ code: 'LIMIT_EXCEEDED', limit: 'cost', allowed: MAX_COST });
    const passed = await ask(fits.first, { ...caller, 'graphql-cost': 'report' });
    const { cost } = passed.answer.extensions;
    expect(cost).toMatchObject({ asked: MAX_COST, left: COST_LIMIT - MAX_COST });
    expect((await ask(fits.first + 1, somebody())).response.status).toBe(400);
  });

  it('has 20 for each value of a filter, as its refusal says, and twice that within `or`', async () => {
    const costOf = async (where: string) => {
      const query = page.replace('(first: $first)', `(first: $first, where: ${where})`);
      const { answer } = await ask(1, { ...somebody(), 'graphql-cost': 'report' }, query);
      return answer.extensions.cost.asked;
    };
    const [one, four, alternatives] = [
      await costOf('{ tokenIds: ["1"] }'),
      await costOf('{ tokenIds: ["1", "2", "3", "4"] }'),
      await costOf('{ tokenIds: ["1"], or: [{ tokenIds: ["2"] }] }'),
    ];
    expect([four - one, alternatives - one]).toEqual([3 * 20, 40]);
    const { answer } = await ask(900, somebody());
    expect(answer.errors[0].message).toContain('each value of a filter 20;');
  });

  it.each([
    ['{ tokenIds: $ids }', 20],
    ['{ or: [{ tokenIds: $ids }] }', 40],
  ])('is counted for the values of each execution of a document with %s', async (where, each) => {
    const query = `query ($ids: [TokenId!]) { srrs(first: 1, where: ${where}) { edges { node { tokenId } } } }`;
    const costOf = async (...ids: string[]) => {
      const { answer } = await ask(1, { ...somebody(), 'graphql-cost': 'report' }, query, { ids });
      return answer.extensions.cost.asked;
    };
    const one = await costOf('1');
    expect((await costOf('1', '2', '3', '4')) - one).toBe(3 * each);
  });

  it('leads to the advice to select fewer fields when a single row costs too much', async () => {
    const aliases = Array.from(
      { length: 19 },
      (_, i) => `a${i}: srrs(first: $first) { edges { node { metadata { raw } } } }`,
    );
    const { answer } = await ask(500, somebody(), `query ($first: Int!) { ${aliases.join(' ')} }`);
    const [{ message, extensions }] = answer.errors;
    expect(extensions.fits.first).toBeLessThan(3);
    expect(message).toMatch(
      extensions.fits.first > 0 ? /at most \d elements/ : /Select fewer fields, or filter by fewer values/,
    );
  });

  it('includes lists of a fixed length when the page size that fits is computed', async () => {
    const names = Array.from({ length: 15 }, (_, i) => `a${i}: hash`).join(' ');
    const query = `query ($first: Int!) {
      srrs(first: $first) { edges { node { metadata { attachmentFiles { ${names} } } } } }
    }`;
    const { answer } = await ask(500, somebody(), query);
    const { fits } = answer.errors[0].extensions;
    expect(fits.first).toBeGreaterThan(0);
    expect((await ask(fits.first, somebody(), query)).response.status).toBe(200);
    expect((await ask(fits.first + 1, somebody(), query)).response.status).toBe(400);
  });

  it('is charged to the issuer of a token, from whatever address, and not to the address', async () => {
    const token = { authorization: gateway.caller.headers.authorization as string };
    const report = { 'graphql-cost': 'report' };
    const address = somebody();
    const first = await ask(5, { ...address, ...token, ...report });
    const second = await ask(5, { ...somebody(), ...token, ...report });
    const { asked, left } = first.answer.extensions.cost;
    expect(second.answer.extensions.cost.left).toBe(left - asked);
    const anonymous = await ask(5, { ...address, ...report });
    expect(anonymous.answer.extensions.cost.left).toBe(COST_LIMIT - asked);
  });

  it('is charged on a WebSocket too', async () => {
    const address = somebody();
    const { over, client } = socket(address);
    expect(await over(150)).toMatchObject({ data: { srrs: {} } });
    let last: unknown;
    for (let n = 0; n < 20 && !JSON.stringify(last)?.includes('RATE_LIMITED'); n++)
      last = await over(150).catch((errors: unknown) => errors);
    expect(JSON.stringify(last)).toContain('COST_LIMIT');
    await client.dispose();
    expect((await ask(150, address)).response.status).toBe(429);
  });
});

describe('a refusal by cost', () => {
  const refusals = () => metric(gateway.app.url, 'srr_budget_refusals_total', { budget: 'cost' });

  /** Spends all but less than a row costs, by documents of its own, because a cache hit costs nothing. */
  async function spendAll(caller: Record<string, string>) {
    const query = `# spent by ${caller['x-forwarded-for']}\n${page}`;
    expect((await ask(150, caller, query)).response.status).toBe(200);
    const { answer } = await ask(151, caller, query);
    expect((await ask(answer.errors[0].extensions.fits.first, caller, query)).response.status).toBe(200);
  }

  const subscription = `subscription { events { ${Array.from({ length: 15 }, (_, i) => `a${i}: cursor`).join(' ')} } }`;
  const listRecords = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_records', arguments: { first: 1 } },
  });

  it.each<[string, (caller: Record<string, string>) => Promise<unknown>]>([
    ['a new document', async (caller) => (await ask(1, caller, `# is new\n${page}`)).answer],
    [
      'a prepared read',
      async (caller) => {
        const query = `# is known\n${page}`;
        for (const first of [2, 3]) await ask(first, somebody(), query);
        return (await ask(4, caller, query)).answer;
      },
    ],
    [
      'an event stream',
      async (caller) => {
        const stream = await fetch(`${gateway.app.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...caller },
          body: JSON.stringify({ query: subscription }),
        });
        return stream.text();
      },
    ],
    [
      'a socket',
      async (caller) => {
        const { client, over } = socket(caller);
        const refused = await over(1).catch((errors: unknown) => errors);
        await client.dispose();
        return refused;
      },
    ],
    [
      'plain HTTP',
      async (caller) => (await fetch(`${gateway.app.url}/records?first=1`, { headers: caller })).json(),
    ],
    ['a tool of an agent', async (caller) => (await postMcp(gateway.app.url, listRecords, caller)).text()],
  ])('is counted once in the metrics: %s', async (_, refusedAnswer) => {
    const caller = somebody();
    await spendAll(caller);
    const before = await refusals();
    const answer = await refusedAnswer(caller);
    expect(JSON.stringify(answer)).toContain('(COST_LIMIT)');
    expect(await refusals()).toBe(before + 1);
  });

  it('is not counted for an operation above MAX_COST, nor for one that passes', async () => {
    const caller = somebody();
    const before = await refusals();
    expect((await ask(900, caller)).response.status).toBe(400);
    expect((await ask(7, caller)).response.status).toBe(200);
    expect(await refusals()).toBe(before);
  });
});
