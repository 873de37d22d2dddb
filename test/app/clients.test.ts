import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import { silent } from '@srr-gateway/common/testing/database';
import { TestIssuer } from '@srr-gateway/sandbox/testing/issuer';
import { startTestSandbox, type TestSandbox } from '@srr-gateway/sandbox/testing/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Commerce,
  CommerceRefusal,
  type Credentials,
  createCommerce,
  requestContentState,
} from '../../src/clients/commerce/commerce.ts';
import { createStorage, type Storage } from '../../src/clients/commerce/storage.ts';
import { createIpfs, type Ipfs } from '../../src/clients/ipfs/ipfs.ts';
import { createSubgraph, type Subgraph, srrId } from '../../src/clients/subgraph/subgraph.ts';

// The gateway's clients and the sandbox were written independently from one API document. Here they meet.

let test: TestSandbox;
let issuer: TestIssuer;
let credentials: Credentials;
let commerce: Commerce;
let storage: Storage;
let ipfs: Ipfs;
let subgraph: Subgraph;

beforeAll(async () => {
  test = await startTestSandbox({ settings: { srrQuota: 60, nfcAllowance: 2, fileLimitBytes: 3_000_000 } });
  const { info } = test.sandbox;
  issuer = new TestIssuer(info);
  credentials = { issuer: parseAddress(issuer.address) as Address, apiKey: issuer.apiKey };
  commerce = createCommerce({ baseUrl: info.commerceUrl, log: silent });
  storage = createStorage();
  ipfs = createIpfs({ gateways: [info.ipfsUrl], log: silent });
  subgraph = createSubgraph({ endpoints: [info.subgraphUrl], log: silent });
});
afterAll(async () => {
  await Promise.all([commerce, storage, ipfs, subgraph].map((client) => client?.close()));
  await test?.stop();
});

type Category = 'artwork' | 'certificate' | 'non_attachment_file';

async function store(body: Uint8Array, category: Category, filename = `${randomUUID()}.png`) {
  const key = { filename, category };
  const [signed] = await commerce.signedUrls(credentials, 'write', [key]);
  if (!signed) throw new Error('one file gives one address');
  await storage.putObject({ ...credentials, ...signed, body: Readable.from([body]), size: body.length });
  const state = await vi.waitUntil(async () => {
    const [one] = await commerce.fileMetadata(credentials, [key]);
    return one?.hash && one.cid ? one : undefined;
  });
  return { ...state, finalUrl: signed.finalUrl, key };
}

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(CommerceRefusal);
      return error as CommerceRefusal;
    },
  );
const issue = (payload: Record<string, unknown>[], requestId: string = randomUUID()) =>
  commerce.issue(credentials, { requestId, payload });

describe('every source', () => {
  it('is reported healthy', async () => {
    expect(await commerce.check()).toEqual({ health: 'OK' });
    expect(await ipfs.check()).toEqual({ health: 'OK' });
    expect(await subgraph.check()).toMatchObject({ health: 'OK', hasIndexingErrors: false });
  });
});

describe('a record', () => {
  it('is uploaded, issued and read back through the clients alone', async () => {
    const picture = randomBytes(700_000);
    const image = await store(picture, 'non_attachment_file');
    const certificate = await store(randomBytes(100), 'certificate');
    const entry = issuer.entry(image.finalUrl, {
      attachmentFiles: [{ name: 'c.pdf', category: 'certificate', url: certificate.finalUrl }],
    });
    const [result] = await issue([entry]);
    expect(result).toMatchObject({
      externalId: entry.externalId,
      status: 'waiting_for_mining',
      collectionContractAddress: null,
    });
    const { tokenId = '', metadataCID = '' } = result ?? {};
    const id = srrId(test.sandbox.info.registryAddress, tokenId);
    const row = await vi.waitUntil(async () => (await subgraph.byIds('srrs', [id])).rows.get(id), 10_000);
    expect(row).toMatchObject({
      tokenId,
      metadataDigest: metadataCID,
      ownerAddress: issuer.address.toLowerCase(),
    });
    const { document } = (await ipfs.json(metadataCID)) as { document: { image: string; name: string } };
    expect(document.name).toBe((entry.metadata as { name: string }).name);
    // The picture was published at issuance, so the IPFS gateway has it by now, in many blocks.
    const reference = ipfs.reference(document.image);
    expect(reference?.cid).toBe(image.cid);
    expect(Buffer.compare(await ipfs.cat(reference?.cid as string), picture)).toBe(0);
  });
});

describe('files', () => {
  it('are read back through a signed address of their own', async () => {
    const bytes = randomBytes(5_000);
    const { key } = await store(bytes, 'certificate');
    const [signed] = await commerce.signedUrls(credentials, 'read', [key]);
    if (!signed) throw new Error('one file gives one address');
    const object = await fetch(signed.url, { headers: { 'content-type': signed.contentType } });
    expect(Buffer.compare(Buffer.from(await object.arrayBuffer()), bytes)).toBe(0);
  });

  it('each have a state, even if some of them are missing', async () => {
    const { key } = await store(randomBytes(10), 'artwork');
    const missing = { filename: 'never-sent.png', category: 'artwork' as const };
    const states = await commerce.fileMetadata(credentials, [missing, key, missing]);
    expect(states.map((state) => [state.filename, state.missing])).toEqual([
      [missing.filename, true],
      [key.filename, false],
      [missing.filename, true],
    ]);
  });

  it('are refused with specific codes for an invalid name or category', async () => {
    const sign = (filename: string, category = 'artwork') =>
      refusalOf(
        commerce.signedUrls(credentials, 'write', [
          { filename: 'good.png', category: 'artwork' },
          { filename, category: category as never },
        ]),
      );
    expect(await sign('no-extension')).toMatchObject({ code: 'FILENAME_EXTENSION_MISSING', status: 400 });
    expect(await sign('a space.png')).toMatchObject({ code: 'FILENAME_HAS_SPACE' });
    expect((await sign('a.png', 'nonsense')).faults).toEqual([
      expect.objectContaining({ code: 'CATEGORY_INVALID', path: ['payload', '1', 'category'] }),
    ]);
  });

  it('are not stored with another type, a used name, an expired address or too many bytes', async () => {
    const key = { filename: `${randomUUID()}.png`, category: 'artwork' as const };
    const [signed] = await commerce.signedUrls(credentials, 'write', [key]);
    if (!signed) throw new Error('one file gives one address');
    const put = ({ body = Buffer.from('bytes'), ...more }: { body?: Buffer; contentType?: string }) =>
      storage.putObject({
        ...credentials,
        ...signed,
        body: Readable.from([body]),
        size: body.length,
        ...more,
      });
    await expect(put({ contentType: 'text/plain' })).rejects.toMatchObject({ kind: 'SIGNATURE_MISMATCH' });
    await expect(put({ body: Buffer.alloc(3_000_000) })).rejects.toMatchObject({ kind: 'TOO_LARGE' });
    const moveClock = (clockOffsetMs: number) =>
      fetch(`${test.sandbox.url}/sandbox/settings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ clockOffsetMs }),
      });
    await moveClock(16 * 60_000);
    await expect(put({})).rejects.toMatchObject({ kind: 'EXPIRED' });
    await moveClock(0);
    await put({});
    await expect(put({ body: Buffer.from('others') })).rejects.toMatchObject({
      kind: 'NAME_TAKEN',
      code: 'FILENAME_TAKEN',
    });
  });
});

describe('an API key', () => {
  it('is verified by the service', async () => {
    expect(await commerce.verify(credentials)).toBe(true);
    expect(await commerce.verify({ ...credentials, apiKey: 'another-key' })).toBe(false);
    const refusal = await refusalOf(
      commerce.signedUrls({ ...credentials, apiKey: 'another-key' }, 'read', [
        { filename: 'a.png', category: 'artwork' },
      ]),
    );
    expect(refusal).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
  });
});

describe('a request to issue', () => {
  it('that is refused names the refused entry and the cancelled ones', async () => {
    const image = await store(randomBytes(10), 'non_attachment_file');
    const used = issuer.entry(image.finalUrl);
    await issue([used]);
    const fresh = issuer.entry(image.finalUrl);
    const refusal = await refusalOf(
      issue([fresh, issuer.entry(image.finalUrl, { externalId: used.externalId })]),
    );
    expect(refusal.faults).toEqual([
      expect.objectContaining({ code: 'DUPLICATE_EXTERNAL_ID', path: ['payload', '1', 'externalId'] }),
      expect.objectContaining({ code: 'SRR_NOT_CREATED', externalId: fresh.externalId }),
    ]);
  });

  it('that is repeated is refused with the state of the first', async () => {
    const image = await store(randomBytes(10), 'non_attachment_file');
    const entry = issuer.entry(image.finalUrl);
    const requestId = randomUUID();
    await issue([entry], requestId);
    expect(await refusalOf(issue([issuer.entry(image.finalUrl)], requestId))).toMatchObject({
      code: 'DUPLICATE_REQUEST_ID',
    });
    expect(['successful', 'in_progress']).toContain(requestContentState(await refusalOf(issue([entry]))));
  });

  it('with a fault is refused with the code and path of the fault', async () => {
    const image = await store(randomBytes(10), 'non_attachment_file');
    const privateFile = await store(randomBytes(10), 'certificate');
    const good = issuer.entry(image.finalUrl);
    const bad = async (more: Record<string, unknown>) => {
      const { faults } = await refusalOf(issue([good, issuer.entry(image.finalUrl, more)]));
      return [faults[0].code, faults[0].path?.slice(0, 3).join('.')];
    };
    const metadata = (more: Record<string, unknown>) => ({ metadata: issuer.metadata(image.finalUrl, more) });
    expect(await bad({ artistAddress: '0x12' })).toEqual(['ADDRESS_INVALID', 'payload.1.artistAddress']);
    expect(await bad({ artistAddress: '0x00000000000000000000000000000000000000ff' })).toEqual([
      expect.stringMatching(/ADDRESS_NOT_FOUND|UNKNOWN_ARTIST/),
      'payload.1.artistAddress',
    ]);
    expect(await bad({ externalId: '' })).toEqual(['EXTERNAL_ID_INVALID', 'payload.1.externalId']);
    expect(await bad(metadata({ title: undefined }))).toEqual(['METADATA_INVALID', 'payload.1.metadata']);
    expect(await bad(metadata({ image: 'https://elsewhere.test/a.png' }))).toEqual([
      'FILE_URL_NOT_ALLOWED',
      'payload.1.metadata',
    ]);
    expect(await bad(metadata({ image: privateFile.finalUrl }))).toEqual([
      'FILE_NOT_PUBLIC',
      'payload.1.metadata',
    ]);
    expect(
      await bad({ attachmentFiles: [{ name: 'x.png', category: 'artwork', url: `${image.finalUrl}x.png` }] }),
    ).toEqual([
      expect.stringMatching(/ATTACHMENT_NOT_FOUND|FILE_URL_NOT_ALLOWED/),
      'payload.1.attachmentFiles',
    ]);
  });

  it('beyond a quota is refused with a specific code', async () => {
    const image = await store(randomBytes(10), 'non_attachment_file');
    const chips = ['04A1B2C3D4E5F601', '04A1B2C3D4E5F602', '04A1B2C3D4E5F603'];
    const tagged = {
      metadata: issuer.metadata(image.finalUrl, { chipUIDs: chips, vendorCertICTagUIDs: chips }),
    };
    expect(await refusalOf(issue([issuer.entry(image.finalUrl, tagged)]))).toMatchObject({
      code: 'NFC_ALLOWANCE_EXCEEDED',
      status: 500,
    });
    const many = Array.from({ length: 61 }, () => issuer.entry(image.finalUrl));
    expect(await refusalOf(issue(many))).toMatchObject({ code: 'QUOTA_EXCEEDED', status: 500 });
  });
});

describe('a collection', () => {
  it('has its address at once, and is soon in the subgraph', async () => {
    const salt = `0x${randomBytes(32).toString('hex')}`;
    const made = await commerce.createCollection(credentials, { name: 'Works', symbol: 'W', salt });
    expect(made).toMatchObject({ name: 'Works', symbol: 'W', status: 'waiting_for_mining' });
    const row = await vi.waitUntil(
      async () =>
        (await subgraph.byIds('collections', [made.collectionAddress])).rows.get(
          made.collectionAddress.toLowerCase(),
        ),
      10_000,
    );
    expect(row).toMatchObject({ name: 'Works', ownerAddress: issuer.address.toLowerCase() });
  });
});
