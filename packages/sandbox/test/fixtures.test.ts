import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely, sql } from 'kysely';
import { CID } from 'multiformats/cid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWorldFile, type WorldFile } from '../src/fixtures/world-file.ts';
import { ownerOf, rpc, TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';

// The seeded world is consistent: chain, subgraph, content and tables have the same records.

let test: TestSandbox;
let world: WorldFile;
// biome-ignore lint/suspicious/noExplicitAny: the tests read what their queries select
let ask: (query: string) => Promise<any>;

beforeAll(async () => {
  test = await startTestSandbox({ settings: { fixtures: true } });
  world = await readWorldFile();
  ask = async (query) => {
    const response = await fetch(test.sandbox.info.subgraphUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data, errors } = await response.json();
    expect(errors).toBeUndefined();
    return data;
  };
  indexed = (await ask('{ _meta { block { number } } }'))._meta.block.number;
});
afterAll(() => test?.stop());

/** The block of the subgraph when the sandbox becomes ready. */
let indexed: number;

const records = () => world.requests.flatMap((request) => request.records);

describe('the seeded world', () => {
  it('is indexed to its last block when the sandbox is ready', () => {
    expect(indexed).toBeGreaterThanOrEqual(world.head.number);
  });

  it('has its records in the subgraph, in the tables and on the chain, with one owner', async () => {
    const { registryAddress } = test.sandbox.info;
    const { srrs } = await ask(
      '{ srrs(first: 1000) { tokenId ownerAddress metadataDigest royaltyBasisPoints collection { id } issuer { id } artist { id } } }',
    );
    expect(srrs.length).toBeGreaterThanOrEqual(300);
    expect(srrs.length).toBe(records().length);
    const byToken = new Map(
      records().map((record) => [`${record.collection?.toLowerCase()} ${record.tokenId}`, record]),
    );
    for (const srr of srrs) {
      const record = byToken.get(`${srr.collection?.id} ${srr.tokenId}`);
      expect(record).toMatchObject({
        metadataCID: srr.metadataDigest,
        royaltyBasisPoints: srr.royaltyBasisPoints,
      });
      expect(srr.issuer).not.toBeNull();
      expect(srr.artist).not.toBeNull();
      expect(await ownerOf(test.sandbox.info, srr.collection?.id ?? registryAddress, srr.tokenId)).toBe(
        srr.ownerAddress,
      );
    }
  });

  it('covers every kind of record', async () => {
    const { info } = test.sandbox;
    const data = await ask(`{
      locked: srrs(first: 1000, where: { lockExternalTransfer: true }) { id }
      royal: srrs(first: 1000, where: { royaltyBasisPoints_gt: 0 }) { id }
      reserved: srrs(first: 1000, where: { transferCommitment_not: null }) { id }
      legacy: srrs(first: 1000, where: { metadataDigest_starts_with: "0x" }) { id createdAt }
      collected: srrs(first: 1000, where: { collection_not: null }) { id }
      customHistories(first: 100) { historyType { name } srrHistory(first: 100) { id } srrProvenance(first: 100) { id } }
      srrprovenances(first: 1000) { from to sender metadataDigest customHistory { id } }
      licensedUserWallets(first: 100) { owners threshold userType }
    }`);
    expect(data.locked.length).toBeGreaterThan(20);
    expect(data.royal.length).toBeGreaterThan(100);
    expect(data.reserved.length).toBeGreaterThanOrEqual(2);
    expect(data.legacy.length).toBeGreaterThanOrEqual(5);
    for (const { createdAt } of data.legacy) expect(Number(createdAt)).toBeLessThan(Date.parse('2023-01-01'));
    expect(data.collected.length).toBeGreaterThan(100);
    const kinds = new Set(
      data.customHistories.map(({ historyType }: { historyType: { name: string } }) => historyType.name),
    );
    expect(kinds).toEqual(new Set(['auction', 'exhibition']));
    for (const { srrHistory } of data.customHistories) expect(srrHistory.length).toBeGreaterThan(3);
    const provenances = data.srrprovenances as {
      from: string;
      to: string;
      sender: string | null;
      metadataDigest: string;
      customHistory: unknown;
    }[];
    const buyers = new Set(info.buyers.map(({ address }) => address.toLowerCase()));
    expect(provenances.filter(({ from, to }) => buyers.has(from) && buyers.has(to)).length).toBeGreaterThan(
      20,
    );
    expect(provenances.filter(({ metadataDigest }) => metadataDigest !== '').length).toBeGreaterThan(20);
    expect(provenances.filter(({ customHistory }) => customHistory).length).toBeGreaterThan(5);
    expect(
      data.licensedUserWallets.filter(({ owners }: { owners: string[] }) => owners.length > 1).length,
    ).toBeGreaterThanOrEqual(3);
    const titles = world.contents.flatMap(({ text }) => (text ? [JSON.parse(text).title ?? {}] : []));
    for (const language of ['en', 'ja', 'zh', 'fr'])
      expect(titles.filter((title) => title[language]).length).toBeGreaterThan(50);
    const metadata = world.contents.flatMap(({ text }) => (text ? [JSON.parse(text)] : []));
    expect(
      metadata.filter(({ chipUIDs, vendorCertICTagUIDs }) => chipUIDs ?? vendorCertICTagUIDs).length,
    ).toBeGreaterThan(50);
    expect(metadata.filter(({ edition }) => edition?.totalNumber > 1).length).toBeGreaterThan(100);
    expect(new Set(metadata.map(({ size }) => size?.unit)).size).toBeGreaterThan(2);
  });

  it('serves all of its content, byte for byte what its CIDs say', async () => {
    const attached = world.files.filter(({ category }) => category === 'installation');
    expect(attached.length).toBeGreaterThan(10);
    for (const { cid } of [...world.contents, ...attached]) {
      const response = await fetch(`${test.sandbox.url}/ipfs/${cid}`);
      expect(response.status).toBe(200);
      // Every one is a single raw block, so its CID is its hash.
      const digest = createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex');
      expect(Buffer.from(CID.parse(cid).multihash.digest).toString('hex')).toBe(digest);
    }
  });

  it('lets its issuers continue: their files, collections and names exist', async () => {
    const { info } = test.sandbox;
    const issuer = new TestIssuer(info);
    const file = world.files.find(
      ({ issuer: owner, category }) => owner === issuer.address && category === 'non_attachment_file',
    );
    const { body } = await issuer.post('fileMetadata', {
      payload: [{ filename: file?.filename, category: file?.category }],
    });
    expect(body.results[0]).toMatchObject({ cid: file?.cid, hash: file?.hash, size: file?.size });
    const { finalUrl } = await issuer.sign(file?.filename ?? '', 'non_attachment_file', 'read');
    const collection = world.collections.find((one) => one.issuer === issuer.address);
    const taken = world.requests.find((one) => one.issuer === issuer.address)?.records[0]?.externalId;
    const used = await issuer.post('srrs', { payload: [issuer.entry(finalUrl, { externalId: taken })] });
    expect(used).toMatchObject({
      status: 400,
      body: { message: { results: [{ message: 'DUPLICATE_EXTERNAL_ID' }] } },
    });
    const added = await issuer.post('srrs', {
      payload: [issuer.entry(finalUrl, { collectionAddress: collection?.address })],
    });
    expect(added.status).toBe(201);
    const { tokenId } = added.body.results[0].srr;
    await expect
      .poll(
        () =>
          ask(`{ srrs(where: { tokenId: "${tokenId}" }) { collection { name } } }`).then(({ srrs }) => srrs),
        { timeout: 15_000 },
      )
      .toEqual([{ collection: { name: collection?.name } }]);
  });

  it('lists every issuer and artist, all of them fictional and with play keys', async () => {
    const { issuers, artists } = test.sandbox.info;
    expect(issuers.length).toBeGreaterThanOrEqual(5);
    expect(artists.length).toBeGreaterThanOrEqual(12);
    for (let index = 0; index < issuers.length; index++)
      expect(
        (await new TestIssuer(test.sandbox.info, index).post('fileMetadata', { payload: [] })).status,
      ).toBe(200);
  });

  it('is neither lost nor loaded again by a restart, and neither are later records', async () => {
    const before = await ask('{ srrs(first: 1000) { id } }');
    await test.restart();
    await expect.poll(() => ask('{ srrs(first: 1000) { id } }')).toEqual(before);
    const { body } = await new TestIssuer(test.sandbox.info).post('fileMetadata', { payload: [] });
    expect(body).toEqual({ results: [] });
  });
});

it('an interrupted load starts again from the beginning', async () => {
  const { database, drop } = await testDatabase();
  const broken = await startTestSandbox({ settings: { fixtures: true }, database });
  try {
    // The state after a kill between loading the chain and loading the rows.
    await broken.restart(async () => {
      const db = new Kysely<never>({ dialect: database.dialect });
      const tables = ['fixture', 'legacy_metadata', 'srr_chip', 'srr', 'issue_request', 'collection'];
      for (const table of tables) await sql`delete from ${sql.table(`sandbox.${table}`)}`.execute(db);
    });
    const page = await (await fetch(broken.sandbox.url)).text();
    expect(page).toContain(`<b>${records().length}</b> issued records`);
  } finally {
    await broken.stop();
    await drop();
  }
});

it('is restored when its directory was removed, but its database was not', async () => {
  const { database, drop } = await testDatabase();
  const emptied = await startTestSandbox({ settings: { fixtures: true }, database });
  try {
    await emptied.restart(() => rm(emptied.dataDir, { recursive: true }));
    for (const { cid } of world.contents)
      expect((await fetch(`${emptied.sandbox.url}/ipfs/${cid}`)).status).toBe(200);
    const file = world.files.find(({ category }) => category === 'non_attachment_file');
    const stored = `${emptied.sandbox.url}/static/${file?.issuer}/non_attachment_file/${encodeURIComponent(file?.filename ?? '')}`;
    expect((await fetch(stored)).status).toBe(200);
  } finally {
    await emptied.stop();
    await drop();
  }
});

it('its chain continues at the current time, so that the subgraph is not years behind', async () => {
  // Started at the address of the fixtures; another address is written to the chain, which adds a block.
  const test = await startTestSandbox({ settings: { fixtures: true, publicUrl: 'http://127.0.0.1:4001' } });
  try {
    const head = await rpc(test.sandbox.info, 'eth_getBlockByNumber', ['latest', false]);
    const { timestamp } = head as { timestamp: string };
    expect(Date.now() / 1000 - Number(timestamp)).toBeLessThan(120);
  } finally {
    await test.stop();
  }
});

it('a sandbox without it has no records', async () => {
  const bare = await startTestSandbox({ settings: { fixtures: false } });
  try {
    expect(bare.sandbox.info.issuers).toHaveLength(2);
    expect(Number(await rpc(bare.sandbox.info, 'eth_blockNumber', []))).toBeLessThan(10);
  } finally {
    await bare.stop();
  }
});

it('a data directory that is not new is left unchanged', async () => {
  const own = await startTestSandbox({ settings: { fixtures: false } });
  try {
    await own.restart(undefined, { fixtures: true });
    expect(own.sandbox.info.issuers).toHaveLength(2);
  } finally {
    await own.stop();
  }
});

it('the committed data is smaller than 3 MB', async () => {
  const directory = join(import.meta.dirname, '../src/fixtures/data');
  const names = await readdir(directory, { recursive: true });
  const sizes = await Promise.all(names.map((name) => stat(join(directory, name))));
  expect(sizes.reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0)).toBeLessThan(3_000_000);
});
