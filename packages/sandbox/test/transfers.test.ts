import { randomUUID } from 'node:crypto';
import {
  createWalletClient,
  encodeFunctionData,
  erc721Abi,
  http,
  keccak256,
  parseAbi,
  parseEventLogs,
  publicActions,
  toFunctionSelector,
  toHex,
  zeroAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { licensedUserWalletAbi, registryAbi } from '../src/chain/artifacts/abis.ts';
import { control, query } from '../testing/control.ts';
import { TestIssuer } from '../testing/issuer.ts';
import { receiptOf } from '../testing/receipt.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let test: TestSandbox;
let receiver: WebhookReceiver;
let issuer: TestIssuer;
let image: string;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  test = await startTestSandbox({ webhooks: [{ url: receiver.url, key: 'k' }] });
  issuer = new TestIssuer(test.sandbox.info);
  image = (await issuer.uploadReady('transfer.png', 'non_attachment_file', 'picture')).finalUrl;
});
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
});

/** A wallet of a standard client: a public play key and the JSON-RPC address. */
function walletOf(index: number) {
  const { info } = test.sandbox;
  const account = privateKeyToAccount(info.buyers[index]!.privateKey);
  return createWalletClient({
    account,
    chain: foundry,
    transport: http(info.rpcUrl),
  }).extend(publicActions);
}

const registry = () => test.sandbox.info.registryAddress as `0x${string}`;
const lower = (address: string | undefined) => address?.toLowerCase();

/** Issues a record, waits for its webhook, and returns its token id. */
async function issue(more: Record<string, unknown>): Promise<{ tokenId: string; externalId: string }> {
  const entry = issuer.entry(image, more);
  const { status, body } = await issuer.post('srrs', { payload: [entry] });
  expect(status, JSON.stringify(body)).toBe(201);
  await expect
    .poll(() => receiver.entries('issue_complete').map(({ externalId }) => externalId), { timeout: 10_000 })
    .toContain(entry.externalId);
  return { tokenId: body.results[0].srr.tokenId, externalId: entry.externalId as string };
}

async function record(tokenId: string) {
  const { data, errors } = await query(
    test.sandbox.info,
    `query ($id: String) { srrs(where: { tokenId: $id }) {
      ownerAddress lockExternalTransfer transferCommitment
      provenance(orderBy: timestamp) { from to sender isIntermediary metadataDigest metadataURI customHistory { id } }
      history { customHistory { id name historyType { name } } }
    } }`,
    { id: tokenId },
  );
  expect(errors).toBeUndefined();
  return data.srrs[0];
}

describe('a transfer by a standard ERC-721 client', () => {
  it('gives a new owner and a row of provenance, and notifies the issuer', async () => {
    const [seller, buyer] = [walletOf(0), walletOf(1)];
    const { tokenId, externalId } = await issue({ to: seller.account.address });
    const hash = await seller.writeContract({
      address: registry(),
      abi: erc721Abi,
      functionName: 'transferFrom',
      args: [seller.account.address, buyer.account.address, BigInt(tokenId)],
    });
    expect((await receiptOf(seller, hash)).status).toBe('success');
    expect(
      await seller.readContract({
        address: registry(),
        abi: erc721Abi,
        functionName: 'ownerOf',
        args: [BigInt(tokenId)],
      }),
    ).toBe(buyer.account.address);
    await expect
      .poll(async () => (await record(tokenId)).ownerAddress, { timeout: 10_000 })
      .toBe(lower(buyer.account.address));
    const plain = {
      sender: null,
      isIntermediary: false,
      metadataDigest: '',
      metadataURI: '',
      customHistory: null,
    };
    expect((await record(tokenId)).provenance).toEqual([
      { from: lower(issuer.address), to: lower(seller.account.address), ...plain },
      { from: lower(seller.account.address), to: lower(buyer.account.address), ...plain },
    ]);
    // Only the second change of owner is an event of its own: the first was part of the issuance.
    await expect
      .poll(() => receiver.entries('transfer_complete').filter((entry) => entry.tokenId === tokenId))
      .toMatchObject([
        {
          externalId,
          from: seller.account.address,
          to: buyer.account.address,
          collectionContractAddress: null,
          txHash: hash,
          isIntermediary: false,
        },
      ]);
  });

  it('of a record that the service did not issue is reported to its issuer on chain, even if the node is down', async () => {
    const rpc = createWalletClient({ chain: foundry, transport: http(test.sandbox.info.rpcUrl) }).extend(
      publicActions,
    );
    const [operator] = await rpc.getAddresses();
    const [seller, buyer] = [walletOf(0), walletOf(1)];
    const record = {
      issuer: issuer.address as `0x${string}`,
      artist: issuer.address as `0x${string}`,
      to: seller.account.address,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: `the CID of a document ${randomUUID()}`,
      royaltyReceiver: zeroAddress,
      royaltyBasisPoints: 0n,
    };
    const minted = await rpc.writeContract({
      account: operator!,
      address: registry(),
      abi: registryAbi,
      functionName: 'create',
      args: [record],
    });
    const { logs } = await receiptOf(rpc, minted);
    const [created] = parseEventLogs({ abi: erc721Abi, eventName: 'Transfer', logs });
    const { fetch } = globalThis;
    const away = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      if (!String(init?.body).includes(toFunctionSelector('record(uint256)'))) return fetch(input, init);
      away.mockRestore();
      return Promise.reject(new TypeError('the node is away'));
    });
    const hash = await seller.writeContract({
      address: registry(),
      abi: erc721Abi,
      functionName: 'transferFrom',
      args: [seller.account.address, buyer.account.address, created!.args.tokenId],
    });
    const reported = () => receiver.entries('transfer_complete').filter((entry) => entry.txHash === hash);
    await expect
      .poll(reported, { timeout: 10_000 })
      .toMatchObject([{ tokenId: String(created!.args.tokenId) }]);
    expect(reported()[0]).not.toHaveProperty('externalId');
  });

  it('reverts when the record is locked, in both forms of ERC-721', async () => {
    const [seller, buyer] = [walletOf(0), walletOf(1)];
    const { tokenId } = await issue({ to: seller.account.address, lockExternalTransfer: true });
    const transfer = {
      address: registry(),
      abi: erc721Abi,
      args: [seller.account.address, buyer.account.address, BigInt(tokenId)] as const,
    };
    for (const functionName of ['transferFrom', 'safeTransferFrom'] as const)
      await expect(seller.writeContract({ ...transfer, functionName })).rejects.toThrow(/revert/i);
    // Skips the client's own simulation, so that the chain itself must refuse.
    const hash = await seller.writeContract({ ...transfer, functionName: 'transferFrom', gas: 300_000n });
    expect((await receiptOf(seller, hash)).status).toBe('reverted');
    expect(await record(tokenId)).toMatchObject({
      ownerAddress: lower(seller.account.address),
      lockExternalTransfer: true,
    });
    expect(receiver.entries('transfer_complete').some((entry) => entry.tokenId === tokenId)).toBe(false);
  });
});

describe('the service writes to the chain', () => {
  it('a custom history, and a transfer that belongs to it', async () => {
    const { tokenId } = await issue({ lockExternalTransfer: true });
    const buyer = walletOf(2).account.address;
    const { id } = await control<{ id: string }>(test.sandbox, 'histories', {
      type: 'auction',
      name: 'Spring Sale',
      metadataCID: 'bafkreispring',
      records: [{ tokenId }],
    });
    await control(test.sandbox, 'transfers', {
      tokenId,
      to: buyer,
      metadataCID: 'bafkreisale',
      customHistoryId: Number(id),
      isIntermediary: true,
    });
    await expect
      .poll(async () => record(tokenId), { timeout: 10_000 })
      .toMatchObject({
        // The lock applies to marketplaces, not to documented sales.
        ownerAddress: lower(buyer),
        provenance: [
          {
            from: lower(issuer.address),
            to: lower(buyer),
            isIntermediary: true,
            metadataDigest: 'bafkreisale',
            metadataURI: 'ipfs://bafkreisale',
            customHistory: { id },
          },
        ],
        history: [{ customHistory: { id, name: 'Spring Sale', historyType: { name: 'auction' } } }],
      });
    await expect
      .poll(() => receiver.entries('transfer_complete').filter((entry) => entry.tokenId === tokenId))
      .toMatchObject([{ to: buyer, metadataCID: 'bafkreisale', customHistoryId: id, isIntermediary: true }]);
  });

  it('concurrent custom histories, each with its own id, and a new type once', async () => {
    const names = ['Summer Sale', 'Autumn Sale', 'Winter Sale'];
    const recorded = await Promise.all(
      names.map((name) =>
        control<{ id: string; historyTypeId: string }>(test.sandbox, 'histories', {
          type: 'fair',
          name,
          metadataCID: 'bafkreifair',
        }),
      ),
    );
    expect(new Set(recorded.map(({ historyTypeId }) => historyTypeId)).size).toBe(1);
    const nameOf = async (id: string) => {
      const text = 'query ($id: ID!) { customHistory(id: $id) { name } }';
      return (await query(test.sandbox.info, text, { id })).data?.customHistory?.name;
    };
    for (const [index, { id }] of recorded.entries())
      await expect.poll(() => nameOf(id), { timeout: 10_000 }).toBe(names[index]);
  });

  it('a reservation, which notifies the issuer by transfer_key', async () => {
    const { tokenId, externalId } = await issue({});
    const commitment = keccak256(toHex('a secret', { size: 32 }));
    await control(test.sandbox, 'reservations', { tokenId, commitment });
    await expect
      .poll(() => receiver.entries('transfer_key').filter((entry) => entry.tokenId === tokenId))
      .toMatchObject([{ externalId, transferCommitment: commitment }]);
    await expect
      .poll(async () => (await record(tokenId)).transferCommitment, { timeout: 10_000 })
      .toBe(commitment);
  });

  it('nothing that the chain refuses, or would accept without effect', async () => {
    const refusal = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const url = `${test.sandbox.url}/sandbox/${path}`;
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return [response.status, (await response.json()).message];
    };
    const { tokenId } = await issue({});
    const to = walletOf(0).account.address;
    const nobody = `0x${'0'.repeat(40)}`;
    expect(await refusal('transfers', { tokenId, to: nobody })).toEqual([
      400,
      `the chain refuses it: ERC721InvalidReceiver(${nobody})`,
    ]);
    const commitment = `0x${'1'.repeat(64)}`;
    for (const [path, body] of [
      ['transfers', { to }],
      ['reservations', { commitment }],
    ] as const) {
      expect(await refusal(path, { ...body, tokenId: '1' })).toEqual([
        400,
        [`tokenId: there is no record 1 in ${registry()}`],
      ]);
      expect(await refusal(path, { ...body, tokenId: 'first' })).toEqual([
        400,
        ['tokenId: must be a decimal token id'],
      ]);
      // An address without a contract accepts any call.
      expect(await refusal(path, { ...body, tokenId, collection: to })).toEqual([
        400,
        [`tokenId: there is no record ${tokenId} in ${to}`],
      ]);
      expect(await refusal(path, { ...body, tokenId, customHistoryId: 999 })).toEqual([
        400,
        ['customHistoryId: there is no history 999'],
      ]);
    }
    const history = { type: 'auction', name: 'No Sale', metadataCID: 'bafkreinosale' };
    const records = [{ tokenId }, { tokenId: '1' }];
    expect((await refusal('histories', { ...history, records }))[0]).toBe(400);
    const { data } = await query(test.sandbox.info, '{ customHistories(where: { name: "No Sale" }) { id } }');
    expect(data.customHistories).toEqual([]);
  });
});

it('a collection that is transferred on chain accepts records of its new owner only', async () => {
  const { info } = test.sandbox;
  const other = new TestIssuer(info, 1);
  const { body } = await issuer.post('collection', { payload: { name: 'Tides', symbol: 'TIDE' } });
  const { collectionAddress } = body.result;
  await expect
    .poll(() => receiver.entries('collection_created').map((entry) => entry.collectionAddress))
    .toContain(collectionAddress);
  // The issuer's wallet is a contract, so its owner, a play account of the node, makes it transfer the
  // collection.
  const rpc = createWalletClient({ chain: foundry, transport: http(info.rpcUrl) }).extend(publicActions);
  const [, owner] = await rpc.getAddresses();
  const data = encodeFunctionData({
    abi: parseAbi(['function transferOwnership(address)']),
    args: [other.address as `0x${string}`],
  });
  const hash = await rpc.writeContract({
    account: owner!,
    address: issuer.address as `0x${string}`,
    abi: licensedUserWalletAbi,
    functionName: 'execute',
    args: [collectionAddress, data],
  });
  expect((await receiptOf(rpc, hash)).status).toBe('success');
  const picture = (await other.uploadReady('theirs.png', 'non_attachment_file', 'picture')).finalUrl;
  await expect
    .poll(
      async () =>
        (await other.post('srrs', { payload: [other.entry(picture, { collectionAddress })] })).status,
      { timeout: 10_000 },
    )
    .toBe(201);
  const refused = await issuer.post('srrs', { payload: [issuer.entry(image, { collectionAddress })] });
  expect(refused.status).toBe(500);
});
