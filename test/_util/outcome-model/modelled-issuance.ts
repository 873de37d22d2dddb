import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { silent } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { appendDeliveries } from '../../../src/events/append-deliveries.ts';
import { parseDelivery } from '../../../src/events/parse-delivery.ts';
import { applyDeliveries } from '../../../src/issuance/apply-deliveries.ts';
import { type FlowDeps, type IssuanceRow, isFinal } from '../../../src/issuance/flow.ts';
import { IssuanceReads, type Progress } from '../../../src/issuance/read.ts';
import { watchFailed } from '../../../src/issuance/recover/watch-failed.ts';
import { step } from '../../../src/issuance/worker.ts';
import type { NewEvent } from '../../../src/store/append-events.ts';
import { endAllLeases, LeaseLost, releaseLease } from '../../../src/store/due-rows.ts';
import type { Db } from '../../../src/store/store.ts';
import { findFiles, recordContents } from '../../../src/uploads/known-files.ts';
import { storeIssuance } from '../stored-issuance.ts';
import { Crash, type ModelService } from './service.ts';

const hour = 3_600_000;
/** Longer than any sequence, because a record that is minted after the watch may not be found. */
const watchMs = 1_000 * hour;
const owner = 'the-worker';
const artistAddress = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

/** One issuance of the gateway with a model of the service, whose time passes only when the test says so. */
export class ModelledIssuance {
  readonly id = randomUUID();
  /** Whether the gateway has the issuer's key for the service. */
  key = true;
  readonly #db: Db;
  readonly #issuer: Address;
  readonly #service: ModelService;
  readonly #suffix: string;
  readonly #deps: FlowDeps;
  readonly #arrived: NewEvent[][] = [];

  /** @param suffix The suffix of the externalIds; the content of the entries is that of `service`. */
  constructor(db: Db, issuer: Address, service: ModelService, suffix = '') {
    this.#db = db;
    this.#issuer = issuer;
    this.#service = service;
    this.#suffix = suffix;
    this.#deps = depsOf(db, service, () => (this.key ? { issuer, apiKey: 'of-no-matter' } : undefined));
  }

  /** @param collectionAddress The collection of all entries; absent: the registry. */
  async begin(collectionAddress?: Address): Promise<void> {
    await storeIssuance(this.#db, this.#issuer, {
      issuance: { id: this.id, status: 'SUBMITTING', next_at: new Date(0) },
      batch: { status: 'PENDING' },
      entries: this.#service.entries.map(({ externalId: name }) => {
        const externalId = name + this.#suffix;
        const metadata = documentOf(name);
        const payload = JSON.stringify({ externalId, artistAddress, collectionAddress, metadata });
        return { external_id: externalId, status: 'PENDING', payload };
      }),
    });
  }

  /** Runs the worker once on the issuance, even if it is not due. */
  async work(): Promise<void> {
    const leased = await this.#db
      .updateTable('issuance')
      .set({ lease_owner: owner, lease_until: new Date(Date.now() + hour) })
      .where('id', '=', this.id)
      .where('next_at', 'is not', null)
      .where('lease_owner', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!leased) return;
    const signal = AbortSignal.timeout(60_000);
    try {
      for (let turns = 0; turns < 20; turns++) {
        const issuance = { ...(await this.row()), read_at: new Date() };
        if (isFinal(issuance.status)) return;
        if ((await step({ deps: this.#deps, issuance, owner, signal })) !== 'again') break;
      }
      await releaseLease(this.#db, 'issuance', { id: this.id, owner }, { afterMs: 0 });
    } catch (error) {
      // The step itself has settled the issuance, so the lease is gone and nothing is left to do.
      if (error instanceof LeaseLost) return;
      if (!(error instanceof Crash)) throw error;
      await endAllLeases(this.#db, 'issuance');
    }
  }

  watch(): Promise<void> {
    return watchFailed(this.#deps, AbortSignal.timeout(60_000));
  }

  /** Stores a delivery. */
  deliver(body: object): Promise<void> {
    this.arrive(body);
    return this.storeDeliveries();
  }

  /** Queues a delivery for the next `storeDeliveries`, which stores all queued ones together. */
  arrive(body: object): void {
    this.#arrived.push(parseDelivery(JSON.stringify(body), { deliveryTypes: {} }));
  }

  async storeDeliveries(): Promise<void> {
    const arrived = this.#arrived.splice(0);
    await appendDeliveries(this.#db, this.#issuer, arrived, applyDeliveries(watchMs));
  }

  /** Moves all stored times back by an hour. */
  hourPasses(): Promise<void> {
    return this.minutesPass(60);
  }

  async minutesPass(minutes: number): Promise<void> {
    const time = sql.lit(`${minutes} minutes`);
    await sql`update gateway.issuance set created_at = created_at - interval ${time},
      updated_at = updated_at - interval ${time}, ask_index_at = ask_index_at - interval ${time}
      where id = ${this.id}`.execute(this.#db);
    await sql`update gateway.issuance_batch set first_sent_at = first_sent_at - interval ${time},
      last_sent_at = last_sent_at - interval ${time}, watch_until = watch_until - interval ${time}
      where issuance_id = ${this.id}`.execute(this.#db);
    await sql`update gateway.issuance_entry set updated_at = updated_at - interval ${time}
      where issuance_id = ${this.id}`.execute(this.#db);
    await sql`update gateway.event set received_at = received_at - interval ${time}
      where issuer = ${this.#issuer}`.execute(this.#db);
  }

  row(): Promise<IssuanceRow> {
    return this.#db.selectFrom('issuance').selectAll().where('id', '=', this.id).executeTakeFirstOrThrow();
  }

  /** Ends the watch of its failures, which the watch of the next world would otherwise include. */
  async end(): Promise<void> {
    await this.#db
      .updateTable('issuance_batch')
      .set({ watch_until: null })
      .where('issuance_id', '=', this.id)
      .execute();
  }

  async progress(): Promise<Progress> {
    const progress = await new IssuanceReads(this.#deps).progress(this.#issuer, [this.id]);
    return progress.get(this.id) as Progress;
  }

  entries() {
    return this.#db
      .selectFrom('issuance_entry')
      .select(['index', 'external_id', 'status', 'outcome_source', 'token_id'])
      .where('issuance_id', '=', this.id)
      .orderBy('index')
      .execute();
  }

  /** The events of subscribers, in their order, each with its externalId and outcome. */
  async visibleOutcomes(): Promise<{ externalId: string | null; type: string }[]> {
    return this.#db
      .selectFrom('event')
      .select(['external_id as externalId', 'type'])
      .where('issuer', '=', this.#issuer)
      .where('visible', '=', true)
      .where('type', 'in', ['SRR_ISSUED', 'SRR_FAILED'])
      .orderBy('cursor')
      .execute();
  }
}

const documentOf = (externalId: string) => ({ name: externalId });

function depsOf(db: Db, service: ModelService, open: FlowDeps['keys']['open']): FlowDeps {
  const onChain = () => service.entries.filter(({ tokenId }) => service.indexed.has(tokenId));
  return {
    db,
    files: { find: findFiles, recordContents },
    log: silent,
    names: { baseUrl: 'https://service.invalid', vendorPrefix: 'vendor' },
    registryAddress: undefined,
    commerce: { issue: async (_credentials: unknown, request: never) => service.issue(request) },
    mintedOf: async (tokens: { tokenId: string }[]) => ({
      block: 1,
      minted: tokens.filter(({ tokenId }) => service.indexed.has(tokenId)),
    }),
    mintedSince: async (_issuer: Address, since: Date) => {
      service.searchedSince = since;
      return {
        complete: service.isWhole && !service.isBuried,
        // A subgraph that lags has no data for the time since the loss.
        indexedUntil: service.indexIsCurrent ? new Date(Date.now() + hour) : new Date(0),
        minted: (service.isBuried ? [] : onChain()).map(({ externalId, tokenId }) => ({
          tokenId,
          collection: null,
          artist: artistAddress,
          metadataCID: `cid-${tokenId}`,
          ...(service.documents && { document: documentOf(externalId) }),
        })),
      };
    },
    keys: { seal: () => null, open },
    alone: true,
    timeouts: {
      filesReady: hour,
      reconcileAfter: hour / 2,
      drain: 0,
      failureWatch: watchMs,
      reorgWatch: hour,
      keepDetails: hour,
    },
    limits: { entriesInFlight: 1_000 },
  } as unknown as FlowDeps;
}
