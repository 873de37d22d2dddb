import { randomUUID } from 'node:crypto';
import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { type Data, GraphQLCaller } from '../_util/graphql-caller.ts';
import { finalOutcome, issue } from '../_util/issuances.ts';

/** INDEX_WAIT in seconds, which one test waits out. */
const indexWait = 4;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { INDEX_WAIT: `${indexWait}` } });
});
beforeEach(() => lag(0));
afterAll(() => gateway?.stop());

const lag = (indexLagMs: number) => control({ url: gateway.info.commerceUrl }, 'settings', { indexLagMs });

const watch = (args = '') => `subscription ($id: ID!) { issuance(id: $id${args}) {
  status entries { edges { node { status srr { indexing owner royalty { percent } } } } }
} }`;

const never = new AbortController().signal;

/** Its externalId begins with `prefix`, and is another one at each call: a retry finds the record of the first run. */
async function issueOne(prefix: string, over: object = {}): Promise<string> {
  const externalId = `${prefix}-${randomUUID()}`;
  const upload = await gateway.caller.upload(`${externalId}.png`, 'NON_ATTACHMENT_FILE', externalId);
  const record = entry(
    gateway.info,
    externalId,
    { upload },
    { metadata: { contractTerms: { royaltyRate: 7 } }, ...over },
  );
  return issue(gateway.caller, { requestId: externalId, entries: [record] });
}

/** All results that a subscriber receives until the subscription completes. */
async function receivedBy(id: string, args = '', caller = gateway.caller): Promise<Data[]> {
  const all: Data[] = [];
  for await (const answer of caller.subscribe(watch(args), { id }, never)) all.push(answer);
  return all;
}

const recordOf = ({ data }: Data) => data.issuance.entries.edges[0].node.srr;

describe('a subscription to an issuance', () => {
  it('completes when the subgraph has the records, with owner and royalty', async () => {
    await lag(1_500);
    const all = await receivedBy(await issueOne('until-indexed'));
    expect(all.at(-1).errors).toBeUndefined();
    expect(all.at(-1).data.issuance.status).toBe('COMPLETED');
    expect(recordOf(all.at(-1))).toEqual({
      indexing: 'INDEXED',
      owner: gateway.issuer.address,
      royalty: { percent: 7 },
    });
    // The final status is sent before the subgraph has the record.
    expect(all.at(-2).data.issuance.status).toBe('COMPLETED');
    expect(recordOf(all.at(-2)).indexing).toBe('NOT_YET_INDEXED');
  });

  it('completes at the final status with untilIndexed: false', async () => {
    await lag(1_500);
    const all = await receivedBy(await issueOne('until-final'), ', untilIndexed: false');
    expect(all.filter(({ data }) => data.issuance.status === 'COMPLETED')).toHaveLength(1);
    expect(recordOf(all.at(-1)).indexing).toBe('NOT_YET_INDEXED');
  });

  it('that begins after the end of the issuance shows its records, and completes', async () => {
    const id = await issueOne('late');
    await finalOutcome(gateway.caller, id);
    expect(recordOf((await receivedBy(id)).at(-1)).indexing).toBe('INDEXED');
  });

  it('completes at once when no record was issued', async () => {
    const id = await issueOne('rejected', { artistAddress: `0x${'9'.repeat(40)}` });
    const all = await receivedBy(id);
    expect(all.filter(({ data }) => data.issuance.status === 'REJECTED')).toHaveLength(1);
  });

  it.each([
    ['does not exist', () => Buffer.from(`Issuance:${crypto.randomUUID()}`).toString('base64'), 0],
    ['is not a UUID', () => Buffer.from('Issuance:x').toString('base64'), 0],
    ['belongs to another issuer', () => issueOne('of-the-first'), 1],
  ])('gets a NOT_FOUND error for an id that %s', async (_what, idOf, by) => {
    const caller = new GraphQLCaller(gateway.app.url, {
      authorization: `Bearer ${testToken}${by === 0 ? '' : `-${by}`}`,
    });
    const all = await receivedBy(await idOf(), '', caller);
    expect(all).toMatchObject([{ errors: [{ extensions: { code: 'NOT_FOUND', inputPath: ['id'] } }] }]);
  });

  it('completes after INDEX_WAIT when the subgraph is far behind', async () => {
    await lag(3_600_000);
    const startedAt = Date.now();
    const all = await receivedBy(await issueOne('far-behind'));
    expect(all.at(-1).data.issuance.status).toBe('COMPLETED');
    expect(recordOf(all.at(-1)).indexing).toBe('NOT_YET_INDEXED');
    expect(Date.now() - startedAt).toBeGreaterThan((indexWait - 1) * 1_000);
  });
});
