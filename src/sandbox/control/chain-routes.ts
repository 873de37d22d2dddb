import type { FastifyInstance } from 'fastify';
import type { Abi } from 'viem';
import { z } from 'zod';
import type { Address } from '../../lib/address.ts';
import { customHistoriesAbi, registryAbi } from '../chain/artifacts/abis.ts';
import type { Chain } from '../chain/chain.ts';
import type { TxOutcome } from '../chain/sender.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Subgraph } from '../subgraph/subgraph.ts';
import { readControl, readControlAddress } from './knobs.ts';

export interface ChainRoutes {
  chain: Chain;
  subgraph: Subgraph;
}

const token = {
  tokenId: z.string().regex(/^\d{1,78}$/, 'must be a decimal token id'),
  /** Absent: the registry. */
  collection: z.string().optional(),
};

const story = {
  metadataCID: z.string().max(200).default(''),
  /** 0: none. */
  customHistoryId: z.int().min(0).default(0),
};

const historySchema = z.strictObject({
  /** Registered on first use. */
  type: z.string().min(1).max(100),
  name: z.string().min(1).max(500),
  metadataCID: z.string().min(1).max(200),
  records: z.array(z.strictObject(token)).max(100).default([]),
});

const transferSchema = z.strictObject({
  ...token,
  ...story,
  to: z.string(),
  isIntermediary: z.boolean().default(false),
});

const reservationSchema = z.strictObject({
  ...token,
  ...story,
  /** keccak-256 of the 32 bytes by which the transfer is made. */
  commitment: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex'),
});

const reorgSchema = z.strictObject({
  depth: z.int().min(1).max(64),
  /** What stood in the replaced blocks is mined again, or gone for good. */
  records: z.enum(['again', 'lost']).default('again'),
});

/** What happens on a live chain by itself, on demand: histories, changes of owner, reorganisations. */
export function chainRoutes(server: FastifyInstance, { chain, subgraph }: ChainRoutes): void {
  const { customHistories } = chain.deployment;

  server.post('/sandbox/histories', async ({ body }, reply) => {
    const { type, name, metadataCID, records } = readControl(historySchema, body);
    const typeId = await historyType(type);
    await write(customHistories, customHistoriesAbi, 'addHistory', [typeId, name, metadataCID]);
    const historyId = await count('historyCount');
    for (const { tokenId, collection } of records)
      await write(customHistories, customHistoriesAbi, 'addRecord', [
        historyId,
        contractOf(collection),
        BigInt(tokenId),
      ]);
    return reply.code(201).send({ id: `${historyId}`, historyTypeId: `${typeId}` });
  });

  server.post('/sandbox/transfers', async ({ body }, reply) => {
    const input = readControl(transferSchema, body);
    const outcome = await write(contractOf(input.collection), registryAbi, 'transferWithProvenance', [
      readControlAddress(input.to, 'to'),
      BigInt(input.tokenId),
      input.metadataCID,
      BigInt(input.customHistoryId),
      input.isIntermediary,
    ]);
    return reply.code(201).send(outcome);
  });

  server.post('/sandbox/reservations', async ({ body }, reply) => {
    const input = readControl(reservationSchema, body);
    const outcome = await write(contractOf(input.collection), registryAbi, 'reserveTransfer', [
      BigInt(input.tokenId),
      input.commitment,
      input.metadataCID,
      BigInt(input.customHistoryId),
    ]);
    return reply.code(201).send(outcome);
  });

  server.post('/sandbox/reorg', async ({ body }) => {
    const { depth, records } = readControl(reorgSchema, body);
    const deepest =
      Number(await chain.client.getBlockNumber({ cacheTime: 0 })) - (await subgraph.foundation());
    if (depth > deepest)
      throw new ServiceError(400, [
        `depth: at most ${deepest}, or the licensed users themselves would be gone`,
      ]);
    return chain.reorganise(depth, records);
  });

  function contractOf(collection: string | undefined): Address {
    return collection === undefined ? chain.registryAddress : readControlAddress(collection, 'collection');
  }

  async function write(
    address: Address,
    abi: Abi | readonly unknown[],
    functionName: string,
    args: readonly unknown[],
  ): Promise<Extract<TxOutcome, { status: 'mined' }>> {
    const outcome = await chain.write({ address, abi: abi as Abi, functionName, args });
    if (outcome.status === 'failed') throw new ServiceError(400, `the chain refuses it: ${outcome.reason}`);
    return outcome;
  }

  async function historyType(name: string): Promise<bigint> {
    const known = await chain.client.getContractEvents({
      address: customHistories,
      abi: customHistoriesAbi,
      eventName: 'TypeAdded',
      fromBlock: 0n,
      strict: true,
    });
    const found = known.find(({ args }) => (args as { name: string }).name === name);
    if (found) return (found.args as { typeId: bigint }).typeId;
    await write(customHistories, customHistoriesAbi, 'addType', [name]);
    return count('typeCount');
  }

  function count(functionName: 'typeCount' | 'historyCount'): Promise<bigint> {
    return chain.client.readContract({ address: customHistories, abi: customHistoriesAbi, functionName });
  }
}
