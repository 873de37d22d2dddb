import { keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { closedPort, serve } from '../_util/http-server.ts';
import { useSeededWorld } from '../_util/joined-reads.ts';
import { missingDocuments } from '../_util/missing-documents.ts';
import { addBlock, type Blocks, serveBlocks } from '../_util/trustless-gateway.ts';

// Metadata documents of every schema version and of any quality.

const world = useSeededWorld();

const fields = `
  schema name title { all } medium { all } yearOfCreation { all } note { all } description externalUrl
  image { uri url cid } thumbnail { uri url cid } size { width height depth unit flexibleDescription { all } }
  edition { uniqueness proofType number totalNumber note { all } } contractTerms { royaltyRate file { uri } }
  isDigital digitalComponents { hash category } attachmentFiles { hash category } chipUIDs raw`;

interface Shown {
  metadataCID: string | null;
  metadataUrl: string;
  metadataStatus: string;
  // biome-ignore lint/suspicious/noExplicitAny: an untyped client is the point of these tests
  metadata: any;
  metadataHistory: { edges: { node: { metadataDigest: string; metadata: { name: string } } }[] };
}

async function records(where: string): Promise<Shown[]> {
  const caller = await world.gatewayBefore({}, { IPFS_TIMEOUT: '15' });
  const { srrs } = await caller.data(`{ srrs(first: 400, where: ${where}) { edges { node {
    metadataCID metadataUrl metadataStatus metadata { ${fields} }
    metadataHistory(first: 5) { edges { node { metadataDigest metadata { name } } } }
  } } } }`);
  return srrs.edges.map(({ node }: { node: Shown }) => node);
}

it('metadata documents of every schema version are read into the same fields', async () => {
  const found = await records('{ createdAfter: "2023-01-01T00:00:00Z" }');
  const versions = new Set(found.map(({ metadata }) => metadata.schema));
  expect(versions.size).toBe(3);
  for (const { metadata, metadataStatus } of found) {
    const { raw } = metadata;
    expect(metadataStatus).toBe('VERIFIED');
    expect(metadata).toMatchObject({
      schema: raw.$schema,
      name: raw.name,
      title: { all: raw.title },
      medium: { all: raw.medium },
      yearOfCreation: { all: raw.yearOfCreation },
      image: { uri: raw.image, cid: raw.image.replace('ipfs://', '') },
      thumbnail: { uri: raw.thumbnailURL },
      chipUIDs: raw.chipUIDs ?? raw.vendorCertICTagUIDs ?? null,
    });
  }
});

describe('metadata documents of records from before 2023', () => {
  it('are read from the service and verified by their digest on chain', async () => {
    const found = await records('{ createdBefore: "2023-01-01T00:00:00Z" }');
    const old = found.filter(({ metadataCID }) => metadataCID === null);
    expect(old.length).toBeGreaterThanOrEqual(5);
    for (const { metadataStatus, metadata, metadataUrl, metadataHistory } of old) {
      expect(metadataStatus).toBe('VERIFIED');
      expect(metadata).toMatchObject({
        schema: expect.stringContaining('v2.0'),
        title: { all: metadata.raw.title },
      });
      const bytes = Buffer.from(await (await fetch(metadataUrl)).arrayBuffer());
      const [first] = metadataHistory.edges;
      expect(keccak256(bytes)).toBe(first?.node.metadataDigest);
      expect(JSON.parse(bytes.toString())).toEqual(metadata.raw);
      expect(first?.node.metadata.name).toBe(metadata.name);
    }
    expect(old.some(({ metadata }) => metadata.chipUIDs !== null)).toBe(true);
  });

  it('are each counted once as missing when the service is down', async () => {
    const caller = await world.gatewayBefore({ commerceUrl: await closedPort() });
    const { srrs } = await caller.data(`{ srrs(first: 400, where: { createdBefore: "2023-01-01T00:00:00Z" }) {
      edges { node { metadataCID metadataStatus metadata { name } } }
    } }`);
    const old = srrs.edges.filter(({ node }: { node: Shown }) => node.metadataCID === null);
    for (const { node } of old) expect(node).toMatchObject({ metadataStatus: 'UNAVAILABLE', metadata: null });
    expect(await missingDocuments(caller.url, 'record')).toEqual({ UNAVAILABLE: old.length });
  });
});

describe('metadata documents of other programs', () => {
  /** Reads each document under its own alias, all in one query that must not fail. */
  async function read(documents: Record<string, string>) {
    const blocks: Blocks = new Map();
    const names = Object.keys(documents);
    const cids = await Promise.all(names.map((name) => addBlock(blocks, Buffer.from(documents[name] ?? ''))));
    const gateway = await serveBlocks(blocks);
    const caller = await world.gatewayBefore({ ipfsGateways: [gateway.url] }, { IPFS_TIMEOUT: '15' });
    const answer = await caller.data(
      `{ ${names.map((name, i) => `${name}: metadata(cid: "${cids[i]}") { status raw metadata { ${fields} } }`).join(' ')} }`,
    );
    return { answer, caller };
  }
  const answerOf = async (documents: Record<string, string>) => (await read(documents)).answer;

  it('keep unknown properties, and have known ones read by their older names', async () => {
    const document = {
      $schema: 'https://api.vendor.io/api/v1/schema/registry-record-metadata.v1.1.schema.json',
      title: { en: 'Untitled' },
      digitalDataHash: 'sha256-00',
      otherCertICTagUIDs: ['04a1'],
      unheard: { of: [1, { two: null }] },
    };
    const { old } = await answerOf({ old: JSON.stringify(document) });
    expect(old).toMatchObject({
      status: 'VERIFIED',
      raw: document,
      metadata: {
        schema: document.$schema,
        title: { all: { en: 'Untitled' } },
        chipUIDs: ['04a1'],
        digitalComponents: [{ hash: 'sha256-00', category: 'artwork' }],
        raw: document,
      },
    });
  });

  it('with a "then" key, as promises have, are shown like others', async () => {
    const text = '{"then":"x","title":{"then":"y"},"size":{"then":1},"edition":{"then":{}}}';
    const { one } = await answerOf({ one: text });
    expect(JSON.stringify([one.raw, one.metadata.raw])).toBe(`[${text},${text}]`);
    expect(JSON.stringify(one.metadata.title.all)).toBe('{"then":"y"}');
  });

  it('with properties of wrong types are shown without these', async () => {
    const document = {
      $schema: 7,
      name: {},
      title: 5,
      medium: [],
      yearOfCreation: { en: 1999 },
      note: '',
      image: 'no address',
      size: { width: '20', height: null, unit: 'mm' },
      edition: { number: 1.5, totalNumber: 3e10 },
      contractTerms: [],
      isDigital: 'yes',
      digitalComponents: [null, {}, { hash: 'sha256-00' }],
      attachmentFiles: 'none',
      chipUIDs: [1, '04a1'],
    };
    const { odd } = await answerOf({ odd: JSON.stringify(document) });
    expect(odd.metadata).toMatchObject({
      schema: '',
      name: null,
      title: null,
      medium: null,
      yearOfCreation: null,
      image: null,
      thumbnail: null,
      size: { width: null, height: null, unit: 'mm' },
      edition: { number: null, totalNumber: null },
      contractTerms: null,
      isDigital: null,
      digitalComponents: [{ hash: 'sha256-00', category: '' }],
      attachmentFiles: null,
      chipUIDs: ['04a1'],
    });
  });

  it('show at most a thousand items of each list and a thousand languages of each text', async () => {
    const files = Array.from({ length: 20_000 }, (_, n) => ({ hash: `sha256-${n}` }));
    const document = {
      digitalComponents: files,
      attachmentFiles: files,
      chipUIDs: files.map(({ hash }) => hash),
      title: Object.fromEntries(files.map(({ hash }, n) => [hash, n % 2 === 0 ? 'text' : n])),
    };
    const { long } = await answerOf({ long: JSON.stringify(document) });
    expect(long.raw.chipUIDs).toHaveLength(20_000);
    expect(long.metadata.digitalComponents).toHaveLength(1_000);
    expect(long.metadata.attachmentFiles).toHaveLength(1_000);
    expect(long.metadata.chipUIDs).toHaveLength(1_000);
    expect(Object.keys(long.metadata.title.all)).toHaveLength(1_000);
  });

  it('of 2 MB exceed the limit of a response that contains many of them', async () => {
    const blocks: Blocks = new Map();
    const text = 'x'.repeat(1_900_000);
    const cid = await addBlock(blocks, Buffer.from(JSON.stringify({ description: text })));
    const gateway = await serveBlocks(blocks);
    const caller = await world.gatewayBefore({ ipfsGateways: [gateway.url] }, { IPFS_TIMEOUT: '15' });
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on SRRMetadata { raw description } } }';
    const ids = (count: number) => Array(count).fill(Buffer.from(`SRRMetadata:${cid}`).toString('base64'));
    const { nodes } = await caller.data(query, { ids: ids(3) });
    expect(nodes).toHaveLength(3);
    expect(nodes[2]).toEqual({ raw: { description: text }, description: text });
    const { data, errors } = await caller.ask(query, { ids: ids(900) });
    expect(data ?? null).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', limit: 'answer' } }]);
  });

  it('of 2 MB exceed the limit of a response that repeats one of them, also as a prepared read', async () => {
    const blocks: Blocks = new Map();
    const cid = await addBlock(blocks, Buffer.from(JSON.stringify({ note: 'x'.repeat(1_900_000) })));
    const ipfs = await serveBlocks(blocks);
    const subgraph = await serve(async (request, response) => {
      const { headers, body } = request;
      const options = {
        method: 'POST',
        headers: { 'content-type': headers['content-type'] ?? '' },
        body: body.toString(),
      };
      const answer = await fetch(world.info.subgraphUrl, options);
      response.setHeader('content-type', 'application/json');
      response.end((await answer.text()).replace(/("metadataDigest":)"\w+"/g, `$1"${cid}"`));
    });
    const upstreams = { subgraphUrls: [subgraph.url], ipfsGateways: [ipfs.url] };
    const caller = await world.gatewayBefore(upstreams, { IPFS_TIMEOUT: '15' });
    const aliases = Array.from({ length: 45 }, (_, n) => `a${n}: raw`).join(' ');
    const limits: { limit?: string }[] = [];
    for (let n = 0; n < 3; n++) {
      const query = `{ srrs(first: 1) { edges { node { metadata { ${aliases} } } } } }`;
      const { errors = [] } = await caller.ask(query);
      limits.push(...errors.map(({ extensions }) => ({ ...extensions }) as { limit?: string }));
    }
    expect(limits.map(({ limit }) => limit)).toEqual(['answer', 'answer', 'answer']);
  });

  it('that are invalid get a typed status beside a valid one', async () => {
    const { answer, caller } = await read({
      good: '{"name":"Good"}',
      list: '[1]',
      nothing: 'null',
      text: '"text"',
      page: '<!doctype html>',
      endless: '{"a":'.repeat(50_000) + 1 + '}'.repeat(50_000),
      huge: `{"note":"${'x'.repeat(3_000_000)}"}`,
    });
    const { good, huge, ...broken } = answer;
    expect(good).toMatchObject({ status: 'VERIFIED', metadata: { name: 'Good' } });
    expect(huge).toEqual({ status: 'TOO_LARGE', raw: null, metadata: null });
    for (const one of Object.values(broken))
      expect(one).toEqual({ status: 'INVALID_JSON', raw: null, metadata: null });
    // Callers may name CIDs that never existed, so these are counted apart from those of records.
    const counted = { INVALID_JSON: Object.keys(broken).length, TOO_LARGE: 1 };
    expect(await missingDocuments(caller.url, 'caller')).toEqual(counted);
    expect(await missingDocuments(caller.url, 'record')).toEqual({});
  });
});

it('only the first fifty of a long list of preferred languages count', async () => {
  const caller = await world.gatewayBefore({}, { IPFS_TIMEOUT: '15' });
  const languageFor = async (wanted: string[]) => {
    const query = `query ($wanted: [String!]) { srrs(first: 1) { edges { node { metadata {
      title { language(languages: $wanted) all }
    } } } } }`;
    const { srrs } = await caller.data(query, { wanted });
    const { title } = srrs.edges[0].node.metadata;
    expect(title.all).toMatchObject({ en: expect.any(String), ja: expect.any(String) });
    return title.language;
  };
  const unknown = Array.from({ length: 50 }, (_, n) => `x${n}`);
  expect(await languageFor([...unknown.slice(1), 'ja'])).toBe('ja');
  expect(await languageFor([...unknown, 'ja'])).toBe('en');
});
