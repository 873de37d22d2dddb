import { randomBytes, randomUUID } from 'node:crypto';
import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import type { Data } from '../_util/graphql-caller.ts';

const indexLagMs = 5_000;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ sandbox: { indexLagMs } });
});
afterAll(() => gateway?.stop());

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code message } }
}`;
const events = `subscription {
  events {
    __typename cursor
    ... on SRRIssued { srr { tokenId indexing owner metadata { name } } }
    ... on TransferCompleted { record: srr { tokenId indexing owner } }
  }
}`;

describe('records of events, with a subgraph that lags 5 s', () => {
  it('are joined when an outcome arrives, and read again after a transfer', async () => {
    const { caller, info, issuer } = gateway;
    const seen: Data[] = [];
    const leaving = new AbortController();
    const subscription = (async () => {
      for await (const { data, errors } of caller.subscribe(events, {}, leaving.signal)) {
        expect(errors).toBeUndefined();
        seen.push({ ...data.events, at: Date.now() });
      }
    })().catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error;
    });
    const find = (type: string) => seen.find(({ __typename }) => __typename === type);

    // A retry finds the record of the first run.
    const name = randomUUID();
    const picture = { upload: await caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
    const { issueSRRs } = await caller.data(issue, { input: { entries: [entry(info, name, picture)] } });
    expect(issueSRRs.userErrors).toEqual([]);
    await expect.poll(() => find('SRRIssued'), { timeout: 20_000 }).toBeDefined();
    const { srr } = find('SRRIssued');
    expect(srr).toMatchObject({ indexing: 'INDEXED', owner: issuer.address, metadata: { name } });

    const [buyer] = info.buyers as [(typeof info.buyers)[0]];
    const transferredAt = Date.now();
    await control(gateway.sandbox.sandbox, 'transfers', { tokenId: srr.tokenId, to: buyer.address });
    await expect.poll(() => find('TransferCompleted'), { timeout: 20_000 }).toBeDefined();
    const transferred = find('TransferCompleted');
    expect(transferred.record).toEqual({ tokenId: srr.tokenId, indexing: 'INDEXED', owner: buyer.address });
    // The event was held back until the subgraph had caught up.
    expect(transferred.at - transferredAt).toBeGreaterThan(indexLagMs / 2);

    // No cache shows the previous owner any more.
    const query = 'query ($tokenId: TokenId!) { srr(tokenId: $tokenId) { owner } }';
    const now = await gateway.anonymous.data(query, { tokenId: srr.tokenId });
    expect(now.srr.owner).toBe(buyer.address);

    // A replayed old transfer is not held back, because the subgraph has had time to catch up.
    const startedAt = Date.now();
    const replay = caller.subscribe(
      events.replace('events {', `events(after: ${JSON.stringify(find('SRRIssued').cursor)}) {`),
      {},
      AbortSignal.timeout(20_000),
    );
    const { value } = await replay.next();
    expect(value?.data.events.record.owner).toBe(buyer.address);
    expect(Date.now() - startedAt).toBeLessThan(indexLagMs / 2);
    await replay.return(undefined);
    leaving.abort();
    await subscription;
  }, 90_000);
});

it('the events of failures say what to do', async () => {
  const externalId = randomUUID();
  const collectionAddress = `0x${randomBytes(20).toString('hex')}`;
  const { webhookKeys } = gateway.issuer;
  const deliver = async (type: string, entry: object) => {
    const headers = { 'x-api-key': webhookKeys[0] as string, 'content-type': 'application/json' };
    const body = JSON.stringify({ type, data: [entry] });
    const { status } = await fetch(`${gateway.app.url}/webhooks/commerce`, { method: 'POST', headers, body });
    expect(status).toBe(200);
  };
  const { events: before } = await gateway.caller.data('{ events(first: 0) { headCursor } }');
  await deliver('issue_failed', { externalId, message: 'nonce out of sync' });
  await deliver('collection_create_failed', { collectionAddress });
  const { events: log } =
    await gateway.caller.data(`{ events(after: "${before.headCursor}", where: { types: [SRR_FAILED, COLLECTION_FAILED] }) {
    edges { node { ... on SRRFailed { error { message } } ... on CollectionFailed { error { message } } } } } }`);
  expect(log.edges.map(({ node }: Data) => node.error.message)).toEqual([
    expect.stringMatching(/retries by itself .* wait .* new externalId/),
    expect.stringContaining('another salt'),
  ]);
});
