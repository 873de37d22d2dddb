import { keccak256 } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';

// The seeded world has records from before 2023, whose metadata is not on IPFS.
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ sandbox: { fixtures: true } });
}, 120_000);
afterAll(() => gateway?.stop());

const records = `{
  srrs(first: 50, where: { createdBefore: "2023-01-01T00:00:00Z" }) { edges { node {
    tokenId metadataCID metadataUrl metadataStatus
    metadata { schema name title { all } edition { uniqueness } chipUIDs raw }
    metadataHistory(first: 5) { edges { node { metadataDigest metadata { name } } } }
  } } }
}`;

describe('a record from before 2023', () => {
  it('shows its metadata from the service, proven by the digest on chain', async () => {
    const { srrs } = await gateway.anonymous.data(records);
    const nodes = srrs.edges.map(({ node }: { node: unknown }) => node);
    const old = nodes.filter(({ metadataCID }: { metadataCID: string | null }) => metadataCID === null);
    expect(old.length).toBeGreaterThanOrEqual(5);
    for (const { metadataStatus, metadata, metadataUrl, metadataHistory } of old) {
      expect(metadataStatus).toBe('VERIFIED');
      expect(metadata).toMatchObject({
        schema: expect.stringContaining('v2.0'),
        name: metadata.raw.name,
        title: { all: metadata.raw.title },
        edition: { uniqueness: 'unique work' },
        chipUIDs: metadata.raw.vendorCertICTagUIDs ?? null,
      });
      const [first] = metadataHistory.edges;
      const bytes = Buffer.from(await (await fetch(metadataUrl)).arrayBuffer());
      expect(keccak256(bytes)).toBe(first.node.metadataDigest);
      expect(JSON.parse(bytes.toString())).toEqual(metadata.raw);
      expect(first.node.metadata.name).toBe(metadata.name);
    }
    expect(old.some(({ metadata }: { metadata: { chipUIDs: unknown } }) => metadata.chipUIDs)).toBe(true);
  });
});
