import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { type Hex, isAddressEqual, type Log, parseEventLogs, zeroAddress } from 'viem';
import { collectionAbi } from '../chain/artifacts/abis.ts';
import type { Chain } from '../chain/chain.ts';
import { isUnanswered } from '../chain/failure.ts';
import { FollowLoop } from '../lib/follow-loop.ts';
import type { Db } from '../store/tables.ts';
import { queueDelivery } from './outbox.ts';
import { type TransferEvent, transferEvents } from './transfer-events.ts';

interface TransferWatchOptions {
  db: Db;
  chain: Pick<Chain, 'client' | 'registryAddress' | 'onBlock'>;
  log: Logger;
  onDeliveries(): void;
}

export interface TransferWatch {
  stop(): Promise<void>;
}

const cursorName = 'transfers';
/** New blocks are announced. Polling finds those whose announcement was missed. */
const pollMs = 1_000;
/** Blocks in one round. A long gap takes several rounds, and each is stored when it is done. */
const blocksAtOnce = 200;

/**
 * Sets the start of the watch to the chain's head on an empty database, because a new service does not report
 * old transfers. Call it before clients can request a transfer: one that is mined earlier is never reported.
 */
export async function initialiseCursor({
  db,
  chain,
}: Pick<TransferWatchOptions, 'db' | 'chain'>): Promise<void> {
  await db
    .insertInto('chain_cursor')
    .values({ name: cursorName, block: await headOf(chain) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Queues a delivery to a record's issuer when a transfer of it is
 * reserved or made, whoever sent the transaction.
 */
export function watchTransfers(options: TransferWatchOptions): TransferWatch {
  const { db, chain } = options;
  const outage = new OutageLog(options.log, 'transfers could not be looked for; it is tried again');
  const loop = new FollowLoop({ round }, pollMs, outage);
  const unsubscribe = chain.onBlock(() => loop.wake());
  loop.start();
  return {
    stop: async () => {
      unsubscribe();
      await loop.stop();
    },
  };

  async function round(): Promise<boolean> {
    const { block } = await db
      .selectFrom('chain_cursor')
      .select('block')
      .where('name', '=', cursorName)
      .executeTakeFirstOrThrow();
    const latest = await headOf(chain);
    // After a reorganisation the chain may be shorter than the cursor: blocks at those heights are new.
    const read = Math.min(Number(block), latest);
    const to = Math.min(latest, read + blocksAtOnce);
    if (to === Number(block)) return false;
    const logs = to > read ? await ourLogs(read + 1, to) : [];
    await handOver(logs);
    const events = await eventsOf(logs);
    await db.transaction().execute(async (trx) => {
      for (const group of Map.groupBy(events, ({ issuer, type }) => `${issuer} ${type}`).values()) {
        const [first] = group;
        const entries = group.map(({ entry }) => entry);
        if (first) await queueDelivery(trx, first.issuer, first.type, entries);
      }
      await trx.updateTable('chain_cursor').set({ block: to }).where('name', '=', cursorName).execute();
    });
    if (events.length > 0) options.onDeliveries();
    return to < latest;
  }

  async function eventsOf(logs: Log[]) {
    const found = await Promise.all(transferEvents(logs).map(addressed));
    return found.filter((event) => event !== undefined);
  }

  async function ourLogs(from: number, to: number): Promise<Log[]> {
    const logs = await chain.client.getLogs({ fromBlock: BigInt(from), toBlock: BigInt(to) });
    const collections = await db.selectFrom('collection').select('address').distinct().execute();
    const ours = new Set(
      [chain.registryAddress, ...collections.map(({ address }) => address)].map((address) =>
        address.toLowerCase(),
      ),
    );
    return logs.filter(({ address }) => ours.has(address.toLowerCase()));
  }

  /** Adds the issuer to notify and the issuer's externalId; `undefined` when no issuer is found. */
  async function addressed(event: TransferEvent) {
    const collection = isAddressEqual(event.contract, chain.registryAddress) ? null : event.contract;
    const known = await db
      .selectFrom('srr')
      .select(['issuer', 'external_id'])
      .where('token_id', '=', event.tokenId)
      .where('collection', collection === null ? 'is' : '=', collection)
      .where('status', '<>', 'failed')
      .executeTakeFirst();
    const issuer = known?.issuer ?? (await issuerOnChain(event));
    if (issuer === undefined) return undefined;
    return {
      issuer,
      type: event.type,
      entry: {
        srrId: event.tokenId,
        tokenId: event.tokenId,
        ...(known && { externalId: known.external_id }),
        collectionContractAddress: collection,
        ...event.details,
        txHash: event.txHash,
      },
    };
  }

  /**
   * The issuer of a record that this service did not issue;
   * `undefined` when a reorganisation removed the token.
   */
  async function issuerOnChain({ contract, tokenId }: TransferEvent): Promise<Address | undefined> {
    try {
      const record = await chain.client.readContract({
        address: contract as Hex,
        abi: collectionAbi,
        functionName: 'record',
        args: [BigInt(tokenId)],
      });
      return parseAddress((record as { issuer: string }).issuer);
    } catch (error) {
      if (isUnanswered(error)) throw error; // The round is tried again.
      return undefined;
    }
  }

  /** Updates the issuer of collections whose ownership was transferred on chain. */
  async function handOver(logs: Log[]): Promise<void> {
    for (const { address, args } of parseEventLogs({
      abi: collectionAbi,
      eventName: 'OwnershipTransferred',
      logs,
    })) {
      const { previousOwner, newOwner } = args as { previousOwner: Address; newOwner: Address };
      const [collection, owner] = [parseAddress(address.toLowerCase()), parseAddress(newOwner.toLowerCase())];
      if (isAddressEqual(previousOwner, zeroAddress) || !collection || !owner) continue;
      await db
        .updateTable('collection')
        .set({ issuer: owner, updated_at: new Date() })
        .where('address', '=', collection)
        .where('status', '=', 'created')
        .execute();
    }
  }
}

async function headOf(chain: TransferWatchOptions['chain']): Promise<number> {
  return Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
}
