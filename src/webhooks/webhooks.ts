import type { Address } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { backoff, sleep } from '@srr-gateway/common/time';
import type { Issuers } from '../access/issuers.ts';
import type { SecretBox } from '../access/secret-box.ts';
import type { Issuer, WebhookConfig } from '../config/config.ts';
import type { EventLog } from '../events/event-log.ts';
import { startTask } from '../store/maintenance.ts';
import type { Signals } from '../store/signals.ts';
import type { Db } from '../store/tables.ts';
import { ConfiguredEndpoints, dropUnconfigured, storeConfigured, warnOfRefused } from './configured.ts';
import { dropOldDeliveries, listDeliveries } from './deliveries.ts';
import { type EndpointRow, endpointGauges, findEndpoint, listEndpoints, wakeAll } from './endpoints.ts';
import { EndpointManager } from './manage.ts';
import { resealSecrets } from './reseal.ts';
import { Sender } from './sender.ts';
import { Throttle } from './throttle.ts';
import { endpointWorker, type ShowEvent } from './worker.ts';

export { type DeliveryRow, messageId } from './deliveries.ts';
export type { EndpointRow } from './endpoints.ts';

export interface WebhooksOptions {
  db: Db;
  signals: Signals;
  log: Logger;
  /** Whether no other process can work on this database. */
  alone: boolean;
  events: EventLog;
  issuers: Issuers;
  box: SecretBox;
  config: WebhookConfig;
  drainMs: number;
  /** The pause after which configured endpoints are stored again; an hour when absent. */
  storeEveryMs?: number;
}

/** Deliveries are kept for days, so an hour more does not matter. */
const upkeepMs = 3_600_000;

/** Between attempts to store the configured endpoints: a database is mostly back in seconds. */
const pause = { firstMs: 1_000, maxMs: 60_000 };

/** Delivers issuers' events to their partners. This is the part of the folder that other folders use. */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #sender: Sender;
  readonly #configured = new ConfiguredEndpoints();
  readonly manager: EndpointManager;
  #worker: ReturnType<typeof endpointWorker> | undefined;
  #upkeep: { stop(): Promise<void> } | undefined;
  /** The last of the runs of `#sync`, which follow each other: two versions of the configuration must not mix. */
  #syncing: Promise<void> = Promise.resolve();
  #current: readonly Issuer[] = [];
  readonly #stopping = new AbortController();
  readonly #outage: OutageLog;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#outage = new OutageLog(
      options.log,
      'the configured webhook endpoints could not be stored; they are tried again',
    );
    this.#sender = new Sender(options.config);
    this.manager = new EndpointManager({ ...options, sender: this.#sender, configured: this.#configured });
  }

  /** Starts the worker and the maintenance, and follows the configured endpoints. */
  async start(show: ShowEvent): Promise<void> {
    const { db, log, config, box, issuers } = this.#options;
    // Only now: a process that cannot start, as when its port is in use, must not replace endpoints of running ones.
    issuers.follow((current) => {
      if (config.privateNetworks.length === 0) warnOfRefused(current, log);
      this.#configured.replace(current);
      this.#current = current;
      this.#sync(current);
    });
    await this.#syncing;
    if (box.hasOlderKeys) await resealSecrets(db, box);
    this.#worker = endpointWorker({
      ...this.#options,
      sender: this.#sender,
      throttle: new Throttle(config.ratePerSecond),
      configured: this.#configured,
      show,
    });
    await this.#worker.start();
    this.#upkeep = startTask(this.#options, 'webhook-upkeep', upkeepMs, async (signal) => {
      await wakeAll(db);
      await dropOldDeliveries(db, config.keepMs, signal);
    });
  }

  /**
   * Stores the configured endpoints, and does so again until the configuration changes: soon after a failure, otherwise
   * each hour, because replicas with an older configuration may have changed them.
   */
  #sync(issuers: readonly Issuer[], attempt = 0): void {
    const { db, alone, storeEveryMs = upkeepMs } = this.#options;
    const { signal } = this.#stopping;
    const syncAgain = (afterMs: number, attempts: number) => {
      // Wait in the background: a start and a stop wait only for the attempt itself.
      sleep(afterMs, signal).then(
        () => this.#current === issuers && this.#sync(issuers, attempts),
        () => {},
      );
    };
    this.#syncing = this.#syncing
      .then(async () => {
        for (const issuer of issuers) await storeConfigured(db, issuer);
        await dropUnconfigured(db, this.#configured, alone);
        this.#outage.succeeded();
        syncAgain(storeEveryMs, 0);
      })
      .catch((error: unknown) => {
        this.#outage.failed(error);
        syncAgain(backoff(attempt, pause), attempt + 1);
      });
  }

  /** Lets deliveries under way end within the drain time-out, and leaves the rest to the next start or replica. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#worker?.stop(this.#options.drainMs), this.#upkeep?.stop(), this.#syncing]);
    await this.#sender.close();
  }

  /** For metrics. */
  gauges() {
    return endpointGauges(this.#options.db);
  }

  endpoints(issuer: Address): Promise<EndpointRow[]> {
    return listEndpoints(this.#options.db, issuer);
  }

  endpoint(issuer: Address, id: string): Promise<EndpointRow | undefined> {
    return findEndpoint(this.#options.db, issuer, id);
  }

  deliveries(endpointId: string, page: Parameters<typeof listDeliveries>[2]) {
    return listDeliveries(this.#options.db, endpointId, page);
  }
}
