import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from './_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from './_util/gateway.ts';
import { type Data, GraphQLCaller } from './_util/graphql-caller.ts';
import { finalOutcome, issue } from './_util/issuances.ts';

/** Seconds; the tests wait for its end. */
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

async function issueOne(externalId: string, over: object = {}): Promise<string> {
  const upload = await gateway.caller.upload(`${externalId}.png`, 'NON_ATTACHMENT_FILE', externalId);
  const record = entry(
    gateway.info,
    externalId,
    { upload },
    { metadata: { contractTerms: { royaltyRate: 7 } }, ...over },
  );
  return issue(gateway.caller, { requestId: externalId, entries: [record] });
}

/** Everything that a subscriber is shown until the subscription completes. */
async function shown(id: string, args = '', caller = gateway.caller): Promise<Data[]> {
  const all: Data[] = [];
  for await (const answer of caller.subscribe(watch(args), { id }, never)) all.push(answer);
  return all;
}

const recordOf = ({ data }: Data) => data.issuance.entries.edges[0].node.srr;

describe('an issuance that is followed', () => {
  it('ends when the subgraph has its records, with owner and royalty', async () => {
    await lag(1_500);
    const all = await shown(await issueOne('until-indexed'));
    expect(all.at(-1).errors).toBeUndefined();
    expect(all.at(-1).data.issuance.status).toBe('COMPLETED');
    expect(recordOf(all.at(-1))).toEqual({
      indexing: 'INDEXED',
      owner: gateway.issuer.address,
      royalty: { percent: 7 },
    });
    // The final status was not held back for it.
    expect(all.at(-2).data.issuance.status).toBe('COMPLETED');
    expect(recordOf(all.at(-2)).indexing).toBe('NOT_YET_INDEXED');
  });

  it('ends with the final status when that is asked for', async () => {
    await lag(1_500);
    const all = await shown(await issueOne('until-final'), ', untilIndexed: false');
    expect(all.filter(({ data }) => data.issuance.status === 'COMPLETED')).toHaveLength(1);
    expect(recordOf(all.at(-1)).indexing).toBe('NOT_YET_INDEXED');
  });

  it('that was over before shows its records to a late subscriber, and ends', async () => {
    const id = await issueOne('late');
    await finalOutcome(gateway.caller, id);
    expect(recordOf((await shown(id)).at(-1)).indexing).toBe('INDEXED');
  });

  it('ends at once when nothing of it was issued', async () => {
    const id = await issueOne('rejected', { artistAddress: `0x${'9'.repeat(40)}` });
    const all = await shown(id);
    expect(all.filter(({ data }) => data.issuance.status === 'REJECTED')).toHaveLength(1);
  });

  it.each([
    ['nobody knows', () => Buffer.from(`Issuance:${crypto.randomUUID()}`).toString('base64'), 0],
    ['is no UUID', () => Buffer.from('Issuance:x').toString('base64'), 0],
    ['is of another issuer', () => issueOne('of-the-first'), 1],
  ])('by an id that %s is an error, and no silence', async (_what, idOf, by) => {
    const caller = new GraphQLCaller(gateway.app.url, {
      authorization: `Bearer ${testToken}${by === 0 ? '' : `-${by}`}`,
    });
    const all = await shown(await idOf(), '', caller);
    expect(all).toMatchObject([{ errors: [{ extensions: { code: 'NOT_FOUND', inputPath: ['id'] } }] }]);
  });

  it('does not wait for a subgraph that is far behind beyond INDEX_WAIT', async () => {
    await lag(3_600_000);
    const startedAt = Date.now();
    const all = await shown(await issueOne('far-behind'));
    expect(all.at(-1).data.issuance.status).toBe('COMPLETED');
    expect(recordOf(all.at(-1)).indexing).toBe('NOT_YET_INDEXED');
    expect(Date.now() - startedAt).toBeGreaterThan((indexWait - 1) * 1_000);
  });
});
