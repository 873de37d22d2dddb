import type { Address } from '@srr-gateway/common/address';
import { type Selectable, sql } from 'kysely';
import { magicOf } from '../faults/magic-values.ts';
import { anyOf } from '../store/any-of.ts';
import type { Db, SrrTable } from '../store/tables.ts';
import { type DeliveryEntry, queueDelivery } from '../webhooks/outbox.ts';

/** A row of an accepted record. */
export type WaitingRecord = Selectable<SrrTable>;

/** How the mining of a record ended. */
export type RecordOutcome =
  | { status: 'issued'; txHash: string | null; blockNumber: number }
  | { status: 'failed'; txHash: string | null; reason: string };

interface PendingOutcome {
  record: WaitingRecord;
  outcome: RecordOutcome;
  stored: PromiseWithResolvers<void>;
}

/** Dependencies of the outcome writer. */
interface OutcomeWriterOptions {
  db: Db;
  origin(): string;
  /** The `type` of deliveries of failed issuances. */
  failureType: string;
  onDeliveries(): void;
}

/**
 * Window in which a block's outcomes, which arrive within milliseconds, are gathered into one write, with one POST
 * for each group.
 */
const windowMs = 50;

/**
 * Stores outcomes together with the webhooks that report them. Entries of one request that have the same
 * outcome within the window form one group.
 */
export class OutcomeWriter {
  readonly #options: OutcomeWriterOptions;
  #gathered: PendingOutcome[] = [];

  constructor(options: OutcomeWriterOptions) {
    this.#options = options;
  }

  /** Resolves when the outcome is stored; rejects when the database refuses it. */
  write(record: WaitingRecord, outcome: RecordOutcome): Promise<void> {
    const stored = Promise.withResolvers<void>();
    if (this.#gathered.length === 0) setTimeout(() => void this.#store(), windowMs);
    this.#gathered.push({ record, outcome, stored });
    return stored.promise;
  }

  /** Queues the webhook of a failure that is not the outcome, because the record is retried. */
  async tellRetry(record: WaitingRecord, reason: string): Promise<void> {
    const { db, failureType, onDeliveries } = this.#options;
    const entry = this.#entry({ record, outcome: { status: 'failed', txHash: null, reason } });
    await queueDelivery(db, record.issuer, 'issue_failed', [entry], failureType);
    onDeliveries();
  }

  async #store(): Promise<void> {
    const pending = this.#gathered;
    this.#gathered = [];
    try {
      await this.#options.db.transaction().execute((trx) => this.#update(trx, pending));
      for (const { stored } of pending) stored.resolve();
      this.#options.onDeliveries();
    } catch (error) {
      for (const { stored } of pending) stored.reject(error);
    }
  }

  async #update(db: Db, pending: PendingOutcome[]): Promise<void> {
    const rows = pending.map(({ record, outcome }) => ({
      id: record.id,
      status: outcome.status,
      tx_hash: outcome.txHash,
      block_number: outcome.status === 'issued' ? outcome.blockNumber : null,
      reason: outcome.status === 'failed' ? outcome.reason : null,
    }));
    await sql`
      update sandbox.srr
      set status = ended.status, tx_hash = ended.tx_hash,
        block_number = ended.block_number, reason = ended.reason
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as ended(id int8, status text, tx_hash text, block_number int8, reason text)
      where srr.id = ended.id
    `.execute(db);
    const failed = rows.filter(({ status }) => status === 'failed').map(({ id }) => id);
    if (failed.length > 0)
      await db
        .deleteFrom('srr_chip')
        .where(anyOf('srr', failed, 'int8'))
        .execute();
    const groups = Map.groupBy(pending, groupOf);
    for (const group of groups.values()) await this.#queue(db, group);
  }

  async #queue(db: Db, group: PendingOutcome[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const issued = first.outcome.status === 'issued';
    const issuer: Address = first.record.issuer;
    await queueDelivery(
      db,
      issuer,
      issued ? 'issue_complete' : 'issue_failed',
      group.map((one) => this.#entry(one)),
      issued ? undefined : this.#options.failureType,
    );
  }

  #entry({ record, outcome }: Pick<PendingOutcome, 'record' | 'outcome'>): DeliveryEntry {
    return {
      status: outcome.status,
      // The field's older name, from when a record's id was its token id.
      srrId: record.token_id,
      tokenId: record.token_id,
      externalId: record.external_id,
      collectionContractAddress: record.collection,
      metadataCID: record.metadata_cid,
      metadataURL: `${this.#options.origin()}/ipfs/${record.metadata_cid}`,
      ...(outcome.status === 'failed' && { message: outcome.reason }),
    };
  }
}

/** A record whose magic value affects its webhook gets its own delivery, so that no other record is hit. */
function groupOf({ record, outcome }: PendingOutcome): string {
  const alone = magicOf(record.external_id).webhook ? record.id : '';
  return `${record.request} ${outcome.status} ${alone}`;
}
