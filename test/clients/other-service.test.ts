import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { finalOutcome, issue } from '../_util/issuances.ts';
import { type OtherGateway, otherEntry, startOtherGateway } from '../_util/other-gateway.ts';

let gateway: OtherGateway;
beforeAll(async () => {
  gateway = await startOtherGateway();
});
afterEach(() => gateway?.service.plain());
afterAll(() => gateway?.stop());

it('a record is issued, reported by webhook, and read back through the gateway', async () => {
  const { caller, service } = gateway;
  const picture = await gateway.picture();
  const externalId = randomUUID();
  const id = await issue(caller, { entries: [otherEntry(service, externalId, picture)] });
  const outcome = await finalOutcome(caller, id);
  expect(outcome.entries[0]).toMatchObject({ externalId, status: 'ISSUED', outcomeSource: 'WEBHOOK' });
  expect(service.chain.mintsOf(externalId)).toBe(1);
  const record = service.chain.records.find((one) => one.externalId === externalId);
  expect(outcome.entries[0]?.srr?.tokenId).toBe(record?.tokenId);
  const { srr } = await caller.data(
    `query ($tokenId: TokenId!) { srr(tokenId: $tokenId) {
      owner metadataCID artist { englishName } metadataHistory { edges { node { metadataDigest } } }
      indexing metadataStatus metadata { name image { url } }
    } }`,
    { tokenId: record?.tokenId },
  );
  expect(srr).toMatchObject({
    metadataCID: record?.metadataCID,
    owner: gateway.issuer.address,
    indexing: 'INDEXED',
    artist: { englishName: 'An artist' },
    metadataHistory: { edges: [{ node: { metadataDigest: record?.metadataCID } }] },
    metadataStatus: 'VERIFIED',
    metadata: { name: externalId },
  });
});

it('an issuer that passes its own key through gets its outcome from the subgraph, without a webhook', async () => {
  const { passthrough, service } = gateway;
  const externalId = randomUUID();
  const picture = await gateway.picture(passthrough);
  const id = await issue(passthrough, { entries: [otherEntry(service, externalId, picture)] });
  const { entries } = await finalOutcome(passthrough, id);
  expect(entries[0]).toMatchObject({ externalId, status: 'ISSUED', outcomeSource: 'SUBGRAPH' });
  expect(service.chain.mintsOf(externalId)).toBe(1);
});

it('an issuance is known to another replica on the same store, and after a restart', async () => {
  const { service } = gateway;
  const externalId = randomUUID();
  const entries = [otherEntry(service, externalId, await gateway.picture())];
  const id = await issue(gateway.caller, { entries });
  await finalOutcome(gateway.caller, id);
  const replica = await gateway.replica();
  expect((await finalOutcome(replica, id)).entries[0]?.externalId).toBe(externalId);
  await gateway.restart();
  expect((await finalOutcome(gateway.caller, id)).entries[0]?.status).toBe('ISSUED');
});
