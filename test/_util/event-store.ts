import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { parseAddress } from '@srr-gateway/common/address';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { type ApplyDeliveries, appendDeliveries } from '../../src/events/append-deliveries.ts';
import { EventLog, type EventLogOptions } from '../../src/events/event-log.ts';
import { parseDelivery } from '../../src/events/parse-delivery.ts';
import { entryIds, eventsAbout } from '../../src/issuance/events-about.ts';
import { openStore, type Store } from '../../src/store/store.ts';

const about = { entryIds, eventsAbout };

/** Issuers without a service: the log identifies them by their address alone. */
export const issuerNumber = (n: number): Address =>
  parseAddress(`0x${n.toString(16).padStart(8, '0').repeat(5)}`) as Address;

/** A store of which only the event log runs. */
export interface EventStore {
  store: Store;
  /** The SQL of the statements that the log has sent. */
  reads: string[];
  log(options?: Partial<EventLogOptions>): EventLog;
  /** Stores one delivery with these entries. */
  deliver(issuer: Address, entries: object[], kind?: string, apply?: ApplyDeliveries): Promise<void>;
  stop(): Promise<void>;
}

export async function eventStore(): Promise<EventStore> {
  const test = await testDatabase();
  const store = await openStore(test.database);
  const reads: string[] = [];
  const counted = store.db.withPlugin({
    transformQuery: ({ node }) => {
      reads.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return {
    store,
    reads,
    log: (options) =>
      new EventLog({
        db: counted,
        signals: store.signals,
        log: silent,
        about,
        maxLag: 1_000_000,
        ...options,
      }),
    deliver: async (issuer, data, kind = 'issue_failed', apply = async (_trx, _issuer, events) => events) => {
      await appendDeliveries(
        store.db,
        issuer,
        [parseDelivery(JSON.stringify({ type: kind, data }), { deliveryTypes: {} })],
        apply,
      );
    },
    stop: async () => {
      await store.close();
      await test.drop();
    },
  };
}

/** Entries that all differ. */
export const failures = (count: number, more: object = {}): { externalId: string }[] =>
  Array.from({ length: count }, () => ({ externalId: randomUUID(), ...more }));
