import { createPublicClient, http, parseAbi } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id status } userErrors { code message path externalId } }
}`;

const follow = `subscription ($id: ID!) {
  issuance(id: $id) { status progress { total filesTotal filesReady accepted issued failed } }
}`;

const record = `query ($id: ID!) {
  issuance(id: $id) {
    status
    history { status reason }
    entries(first: 10) { edges { node {
      externalId status outcomeSource error { code }
      srr {
        tokenId contractAddress indexing owner artistAddress isPrimaryIssuer lockExternalTransfer
        issuer { address } artist { address } collection { address symbol }
        royalty { receiver basisPoints percent }
        metadataCID metadataStatus metadataUrl
        metadata { name title { text(languages: ["ja"]) all } image { uri url cid } digitalComponents { hash category } attachmentFiles { category } }
        provenance(first: 5) { edges { node { from to } } }
        issuance { externalId }
      }
    } } }
  }
}`;

describe('issuing records', () => {
  let gateway: TestGateway;
  let picture: { upload: string };

  beforeAll(async () => {
    gateway = await startTestGateway();
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  });
  afterAll(() => gateway.stop());

  // Others in each run of a test: its retry finds the records of the first run.
  let run = 0;
  beforeEach(() => void run++);
  const named = (name: string) => `${name}-${run}`;

  async function issueAndFollow(entries: object[], requestId = crypto.randomUUID()) {
    const { issueSRRs } = await gateway.caller.data(issue, { input: { requestId, entries } });
    expect(issueSRRs.userErrors).toEqual([]);
    const { id } = issueSRRs.issuance;
    const seen: string[] = [];
    for await (const { data, errors } of gateway.caller.subscribe(
      follow,
      { id },
      AbortSignal.timeout(30_000),
    )) {
      expect(errors).toBeUndefined();
      seen.push(data.issuance.status);
    }
    return { id, seen };
  }

  it('uploads the files, mints the record, and reads it back joined', async () => {
    const artwork = { upload: await gateway.caller.upload('work.png', 'ARTWORK', 'the work itself') };
    const certificate = { upload: await gateway.caller.upload('paper.pdf', 'CERTIFICATE', 'a certificate') };
    const { id, seen } = await issueAndFollow([
      entry(gateway.info, named('one'), picture, {
        metadata: { contractTerms: { royaltyRate: 15.7 } },
        attachments: [
          { name: 'work.png', category: 'ARTWORK', file: artwork },
          { name: 'paper.pdf', category: 'CERTIFICATE', file: certificate },
        ],
      }),
      entry(gateway.info, named('two'), picture, {
        to: gateway.info.buyers[0]?.address,
        lockExternalTransfer: true,
      }),
    ]);
    expect(seen.at(-1)).toBe('COMPLETED');

    await expect
      .poll(async () => {
        const { issuance } = await gateway.caller.data(record, { id });
        return issuance.entries.edges.map(
          (edge: { node: { srr: { indexing: string } } }) => edge.node.srr.indexing,
        );
      })
      .toEqual(['INDEXED', 'INDEXED']);
    const { issuance } = await gateway.caller.data(record, { id });
    expect(issuance.history.map((step: { status: string }) => step.status)).toEqual([
      'WAITING_FOR_FILES',
      'SUBMITTING',
      'WAITING_FOR_MINING',
      'COMPLETED',
    ]);
    const [one, two] = issuance.entries.edges.map((edge: { node: object }) => edge.node);
    const issuer = gateway.info.issuers[0]?.address;
    const artist = gateway.info.artists[0]?.address;
    expect(one).toMatchObject({
      externalId: named('one'),
      status: 'ISSUED',
      outcomeSource: 'WEBHOOK',
      error: null,
      srr: {
        contractAddress: gateway.info.registryAddress,
        owner: issuer,
        issuer: { address: issuer },
        artist: { address: artist },
        collection: null,
        royalty: { basisPoints: 1570, percent: 15.7 },
        metadataStatus: 'VERIFIED',
        metadata: {
          name: named('one'),
          title: { text: '無題', all: { en: `Title of ${named('one')}`, ja: '無題' } },
          image: { uri: expect.stringMatching(/^ipfs:\/\//) },
          digitalComponents: [{ category: 'artwork', hash: expect.stringMatching(/^sha256-[0-9a-f]{64}$/) }],
          attachmentFiles: [{ category: 'certificate' }],
        },
        issuance: { externalId: named('one') },
      },
    });
    expect(two.srr).toMatchObject({
      owner: gateway.info.buyers[0]?.address,
      lockExternalTransfer: true,
      provenance: { edges: [{ node: { from: issuer, to: gateway.info.buyers[0]?.address } }] },
    });

    const image = await fetch(one.srr.metadata.image.url);
    expect(await image.text()).toBe('a picture');
    const chain = createPublicClient({ transport: http(gateway.info.rpcUrl) });
    const owner = await chain.readContract({
      address: gateway.info.registryAddress as `0x${string}`,
      abi: parseAbi(['function ownerOf(uint256) view returns (address)']),
      functionName: 'ownerOf',
      args: [BigInt(two.srr.tokenId)],
    });
    expect(owner).toBe(two.srr.owner);
  });

  it('mints into a collection that the issuer created', async () => {
    const { createCollection } = await gateway.caller.data(
      `mutation { createCollection(input: { name: "Morning", symbol: "MRN" }) {
        collection { address status } userErrors { code message } } }`,
    );
    expect(createCollection.userErrors).toEqual([]);
    const { address } = createCollection.collection;
    await expect
      .poll(
        async () =>
          (await gateway.anonymous.data(`{ collection(address: "${address}") { symbol owner { address } } }`))
            .collection,
      )
      .toEqual({ symbol: 'MRN', owner: { address: gateway.issuer.address } });
    const { id } = await issueAndFollow([
      entry(gateway.info, named('in-collection'), picture, { collectionAddress: address }),
    ]);
    const { issuance } = await gateway.caller.data(record, { id });
    expect(issuance.entries.edges[0].node).toMatchObject({
      status: 'ISSUED',
      srr: { contractAddress: address },
    });
  });

  it('returns the existing issuance to a repeated call, and refuses other input with the same requestId', async () => {
    const input = {
      requestId: named('the-same'),
      entries: [entry(gateway.info, named('repeated'), picture)],
    };
    const first = await gateway.caller.data(issue, { input });
    const second = await gateway.caller.data(issue, { input });
    expect(second.issueSRRs.issuance.id).toBe(first.issueSRRs.issuance.id);
    const other = { requestId: named('the-same'), entries: [entry(gateway.info, named('another'), picture)] };
    const { issueSRRs } = await gateway.caller.data(issue, { input: other });
    expect(issueSRRs).toMatchObject({
      issuance: null,
      userErrors: [{ code: 'IDEMPOTENCY_CONFLICT', path: ['input', 'requestId'] }],
    });
  });

  it('reports all faults of the input at once, each with its path', async () => {
    const { issueSRRs } = await gateway.caller.data(issue, {
      input: {
        entries: [
          entry(gateway.info, '', picture),
          entry(gateway.info, 'x', picture, {
            metadata: {
              contractTerms: { royaltyRate: 101 },
              image: { file: { filename: 'a b', category: 'CERTIFICATE' } },
            },
          }),
          entry(gateway.info, 'x', picture),
        ],
      },
    });
    expect(
      issueSRRs.userErrors.map((error: { code: string; path: string[] }) => [
        error.code,
        error.path.join('.'),
      ]),
    ).toEqual([
      ['EXTERNAL_ID_INVALID', 'input.entries.0.externalId'],
      ['METADATA_INVALID', 'input.entries.1.metadata.contractTerms.royaltyRate'],
      ['FILENAME_EXTENSION_MISSING', 'input.entries.1.metadata.image'],
      ['FILENAME_HAS_SPACE', 'input.entries.1.metadata.image'],
      ['FILE_NOT_PUBLIC', 'input.entries.1.metadata.image'],
      ['DUPLICATE_EXTERNAL_ID', 'input.entries.2.externalId'],
    ]);
  });

  it('fails all entries of a batch with one refused entry, and names that entry', async () => {
    const unknown = '0x00000000000000000000000000000000000000aA'.toLowerCase();
    const { id, seen } = await issueAndFollow([
      entry(gateway.info, 'innocent', picture),
      entry(gateway.info, 'refused', picture, { artistAddress: unknown }),
    ]);
    expect(seen.at(-1)).toBe('REJECTED');
    const { issuance } = await gateway.caller.data(
      `query ($id: ID!) { issuance(id: $id) {
        error { code externalId } entries { edges { node { externalId status error { code path } } } } } }`,
      { id },
    );
    expect(issuance.error.code).toMatch(/UNKNOWN_ARTIST|ADDRESS_NOT_FOUND/);
    expect(issuance.entries.edges.map((edge: { node: { status: string } }) => edge.node.status)).toEqual([
      'FAILED',
      'FAILED',
    ]);
  });
});
