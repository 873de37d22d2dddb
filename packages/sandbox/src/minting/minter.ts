import type { Logger } from '@srr-gateway/common/log';
import type { Chain } from '../chain/chain.ts';
import type { NextFailure } from '../chain/sender.ts';
import type { Faults } from '../faults/faults.ts';
import { magicOf } from '../faults/magic-values.ts';
import { startWorkerPool, type WorkerPool } from '../lib/worker-pool.ts';
import type { Db } from '../store/tables.ts';
import type { OutcomeWriter, RecordOutcome, WaitingRecord } from './outcome-writer.ts';

/** Dependencies of the minter. */
interface MinterOptions {
  db: Db;
  chain: Pick<Chain, 'issue' | 'issued' | 'registryAddress' | 'client'>;
  outcomes: OutcomeWriter;
  faults: Faults;
  /** Whether to report failures that are retried; called at each, because it is a runtime setting. */
  tellsRetries(): boolean;
  log: Logger;
}

/** About as many as fit into one block of the chain; more would only wait for the next one. */
const concurrency = 250;

/**
 * Mints accepted records. A process may die between sending a transaction and storing its outcome. So a
 * record that an earlier attempt may have sent is looked for on the chain before it is sent again.
 */
export async function startMinter(options: MinterOptions): Promise<WorkerPool> {
  const { db, chain, outcomes, faults } = options;
  const newest = await db
    .selectFrom('srr')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  const fromEarlierProcess = BigInt(newest?.id ?? 0);
  const attempted = new Set<string>();

  return startWorkerPool<WaitingRecord>({
    name: 'minter',
    log: options.log,
    concurrency,
    idOf: ({ id }) => id,
    find: async (limit) => ({
      items: await db
        .selectFrom('srr')
        .selectAll()
        .where('status', '=', 'waiting_for_mining')
        // After a start both may have to be mined again, the collection first.
        .where((eb) =>
          eb.or([
            eb('collection', 'is', null),
            eb(
              'collection',
              'not in',
              eb.selectFrom('collection').select('address').where('status', '=', 'waiting_for_mining'),
            ),
          ]),
        )
        .orderBy('id')
        .limit(limit)
        .execute(),
    }),
    run: async (record) => {
      await outcomes.write(record, await mint(record));
      attempted.delete(record.id);
    },
  });

  async function mint(record: WaitingRecord): Promise<RecordOutcome> {
    const mayHaveBeenSent = BigInt(record.id) <= fromEarlierProcess || attempted.has(record.id);
    if (mayHaveBeenSent && (await isMinted(record))) return found();
    attempted.add(record.id);
    const outcome = await chain.issue(
      {
        issuer: record.issuer,
        artist: record.artist,
        isPrimaryIssuer: record.is_primary_issuer,
        lockExternalTransfer: record.lock_external_transfer,
        metadataCID: record.metadata_cid,
        to: record.recipient ?? undefined,
        collection: record.collection ?? undefined,
        // The artist gets the royalty of resales.
        royalty:
          record.royalty_basis_points === null
            ? undefined
            : { receiver: record.artist, basisPoints: record.royalty_basis_points },
      },
      nextFailure(record),
    );
    if (outcome.status === 'mined')
      return { status: 'issued', txHash: outcome.txHash, blockNumber: outcome.blockNumber };
    // A second transaction for a token fails when the first one was mined: the record is issued then.
    if (await isMinted(record)) return found();
    return { status: 'failed', txHash: outcome.txHash ?? null, reason: outcome.reason };
  }

  /** The fault to inject, if any. Called at each attempt, so that a failure can pass. */
  function nextFailure(record: WaitingRecord): NextFailure {
    const { external_id: externalId } = record;
    const { mining } = magicOf(externalId);
    let attempts = 0;
    return async (previous) => {
      if (previous !== undefined && options.tellsRetries()) await outcomes.tellRetry(record, previous);
      attempts += 1;
      if (mining && attempts <= mining.attempts) return mining.failure;
      return faults.consume('mining', (armed) => (armed.externalId ?? externalId) === externalId)?.failure;
    };
  }

  function isMinted(record: WaitingRecord): Promise<boolean> {
    return chain.issued(record.collection ?? chain.registryAddress, record.token_id);
  }

  async function found(): Promise<RecordOutcome> {
    return {
      status: 'issued',
      txHash: null,
      blockNumber: Number(await chain.client.getBlockNumber({ cacheTime: 0 })),
    };
  }
}
