import type { Address } from '@srr-gateway/common/address';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { type Abi, BaseError } from 'viem';
import { z } from 'zod';
import { customHistoriesAbi, registryAbi } from '../chain/artifacts/abis.ts';
import type { Chain } from '../chain/chain.ts';
import type { TxOutcome } from '../chain/sender.ts';
import { refusals } from '../http/refusals.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Subgraph } from '../subgraph/subgraph.ts';
import { history, mined, reorganisation, replaced, reservation, transfer } from './chain-definitions.ts';

/** Dependencies of the routes of the chain. */
export interface ChainRoutes {
  chain: Chain;
  subgraph: Subgraph;
}

const tags = ['Test mode'];

/** Registers routes that cause events of a live chain: histories, transfers, reorganisations. */
export function chainRoutes(server: FastifyInstance, { chain, subgraph }: ChainRoutes): void {
  const { customHistories } = chain.deployment;
  /** Serializes additions: the contract numbers its types and histories, and the last one must be ours. */
  let lastHistory: Promise<unknown> = Promise.resolve();
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    '/sandbox/histories',
    {
      schema: {
        operationId: 'recordHistory',
        tags,
        summary: 'Record a custom history',
        description: 'An exhibition, an auction or the like, with its records.',
        body: history,
        response: {
          201: z
            .object({ id: z.string(), historyTypeId: z.string() })
            .describe('The history is on the chain.'),
          400: refusals[400],
        },
      },
    },
    async ({ body: { type, name, metadataCID, records } }, reply) => {
      for (const record of records) await requireRecord(record);
      const added = lastHistory.then(async () => {
        const typeId = await historyType(type);
        await write(customHistories, customHistoriesAbi, 'addHistory', [typeId, name, metadataCID]);
        return { typeId, historyId: await count('historyCount') };
      });
      lastHistory = added.catch(() => {});
      const { typeId, historyId } = await added;
      for (const { tokenId, collection } of records)
        await write(customHistories, customHistoriesAbi, 'addRecord', [
          historyId,
          contractOf(collection),
          BigInt(tokenId),
        ]);
      return reply.code(201).send({ id: `${historyId}`, historyTypeId: `${typeId}` });
    },
  );

  routes.post(
    '/sandbox/transfers',
    {
      schema: {
        operationId: 'transferRecord',
        tags,
        summary: 'Transfer a record with its provenance',
        body: transfer,
        response: { 201: mined, 400: refusals[400] },
      },
    },
    async ({ body }, reply) => {
      await requireRecord(body);
      await requireHistory(body.customHistoryId);
      const outcome = await write(contractOf(body.collection), registryAbi, 'transferWithProvenance', [
        body.to,
        BigInt(body.tokenId),
        body.metadataCID,
        BigInt(body.customHistoryId),
        body.isIntermediary,
      ]);
      return reply.code(201).send(outcome);
    },
  );

  routes.post(
    '/sandbox/reservations',
    {
      schema: {
        operationId: 'reserveTransfer',
        tags,
        summary: 'Reserve a transfer',
        body: reservation,
        response: { 201: mined, 400: refusals[400] },
      },
    },
    async ({ body }, reply) => {
      await requireRecord(body);
      await requireHistory(body.customHistoryId);
      const outcome = await write(contractOf(body.collection), registryAbi, 'reserveTransfer', [
        BigInt(body.tokenId),
        body.commitment,
        body.metadataCID,
        BigInt(body.customHistoryId),
      ]);
      return reply.code(201).send(outcome);
    },
  );

  routes.post(
    '/sandbox/reorg',
    {
      schema: {
        operationId: 'reorganise',
        tags,
        summary: 'Reorganise the chain',
        body: reorganisation,
        response: {
          200: replaced,
          400: refusals[400],
        },
      },
    },
    async ({ body: { depth, records } }) => {
      const deepest =
        Number(await chain.client.getBlockNumber({ cacheTime: 0 })) -
        (await subgraph.lastLicensedUserBlock());
      if (depth > deepest)
        throw new ServiceError(400, [
          `depth: at most ${deepest}, or the licensed users themselves would be gone`,
        ]);
      try {
        return await chain.reorganise(depth, records);
      } catch (error) {
        if (!(error instanceof BaseError)) throw error;
        throw new ServiceError(400, [
          `depth: the node does not replace so many blocks (${error.shortMessage}); after a restart it has no states of older ones`,
        ]);
      }
    },
  );

  function contractOf(collection: Address | undefined): Address {
    return collection ?? chain.registryAddress;
  }

  /** The chain would not refuse it: a call to an address without a contract succeeds and does nothing. */
  async function requireRecord(record: { tokenId: string; collection?: Address | undefined }): Promise<void> {
    const contract = contractOf(record.collection);
    if (!(await chain.issued(contract, record.tokenId)))
      throw new ServiceError(400, [`tokenId: there is no record ${record.tokenId} in ${contract}`]);
  }

  /** Nor would the chain refuse an unknown history. */
  async function requireHistory(id: number): Promise<void> {
    if (id > (await count('historyCount')))
      throw new ServiceError(400, [`customHistoryId: there is no history ${id}`]);
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
