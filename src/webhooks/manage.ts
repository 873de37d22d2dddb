import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { SecretBox } from '../access/secret-box.ts';
import type { WebhookConfig } from '../config/config.ts';
import { GatewayError } from '../model/errors.ts';
import type { EventType } from '../model/event-type.ts';
import type { WebhookEndpointStatus } from '../model/webhook.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/tables.ts';
import {
  checkChallenge,
  checkDescription,
  checkSecret,
  checkTypes,
  checkUrl,
  invalid,
} from './check-input.ts';
import type { ConfiguredEndpoints } from './configured.ts';
import {
  type DeliveryPosition,
  type DeliveryRow,
  failUnwanted,
  findDelivery,
  makeDue,
  messageId,
  type RedeliverySelection,
  recordDeliveries,
  rowsAtOnce,
} from './deliveries.ts';
import {
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  listEndpoints,
  restartNow,
  tryNow,
  updateEndpoint,
  wakeWorkers,
} from './endpoints.ts';
import { ProbeLimit } from './probe-limit.ts';
import { generateSecret, rotationMs, sealSecret, secretsOf } from './secrets.ts';
import type { Sender } from './sender.ts';

export interface ManageDeps {
  db: Db;
  box: SecretBox;
  sender: Sender;
  config: WebhookConfig;
  configured: ConfiguredEndpoints;
}

/** Null and absent fields differ in an update: absent ones stay as they are. */
export interface EndpointInput {
  url?: string | null | undefined;
  types?: EventType[] | null | undefined;
  description?: string | null | undefined;
  secret?: string | null | undefined;
}

export interface EndpointUpdate extends EndpointInput {
  status?: WebhookEndpointStatus | null | undefined;
  rotateSecret?: boolean | null | undefined;
}

/** An endpoint after a change, and its new secret; null if the secret did not change. */
export interface ChangedEndpoint {
  row: EndpointRow;
  secret: string | null;
}

/** Lets issuers manage their endpoints. Each method throws a GatewayError that names the faulty input. */
export class EndpointManager {
  readonly #deps: ManageDeps;
  readonly #probes = new ProbeLimit();

  constructor(deps: ManageDeps) {
    this.#deps = deps;
  }

  /** Creates an endpoint if its address answers a signed challenge: nobody gets deliveries that they do not want. */
  async create(
    issuer: Address,
    input: EndpointInput & { url: string },
    signal: AbortSignal,
  ): Promise<ChangedEndpoint> {
    const { db, box } = this.#deps;
    const url = checkUrl(input.url);
    const types = checkTypes(input.types);
    const description = checkDescription(input.description);
    const secret = input.secret == null ? generateSecret() : checkSecret(input.secret);
    // Check before the challenge, so that no address is challenged in vain, and again when the endpoint is stored.
    await this.#assertCanAdd(db, issuer, url);
    await this.#challenge(issuer, url, [secret], signal);
    const id = randomUUID();
    const row = await db.transaction().execute(async (trx) => {
      const cursor = await lockLog(trx, issuer);
      await this.#assertCanAdd(trx, issuer, url);
      return trx
        .insertInto('webhook_endpoint')
        .values({ id, issuer, url, types, description, cursor, sealed_secret: sealSecret(box, id, secret) })
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return { row, secret };
  }

  async update(
    issuer: Address,
    id: string,
    input: EndpointUpdate,
    signal: AbortSignal,
  ): Promise<ChangedEndpoint> {
    const { db, box, configured } = this.#deps;
    const row = await this.#owned(issuer, id);
    const { changes, newSecret, newUrl } = this.#changesOf(row, input);
    // The input is valid by now, so no address is challenged in vain.
    if (newUrl !== undefined) {
      await this.#assertCanAdd(db, issuer, newUrl, row.id);
      const live = secretsOf(box, row, configured.of(row));
      await this.#challenge(issuer, newUrl, newSecret ? [newSecret, ...live] : live, signal);
    }
    const updated = await db.transaction().execute(async (trx) => {
      if (newUrl !== undefined) {
        await lockLog(trx, issuer);
        await this.#assertCanAdd(trx, issuer, newUrl, row.id);
      }
      const changed = await updateEndpoint(trx, issuer, id, changes);
      if (input.types && changed?.types) await failUnwanted(trx, id, changed.types);
      return changed;
    });
    if (!updated) throw notFound('id');
    if (newUrl !== undefined || input.status === 'ENABLED') await wakeWorkers(db);
    return { row: updated, secret: newSecret };
  }

  /** The columns that an update writes, its new secret, and its new address. @throws GatewayError for invalid input. */
  #changesOf(row: EndpointRow, { url, types, description, secret, status, rotateSecret }: EndpointUpdate) {
    const isChanged = [url, secret, rotateSecret].some((one) => one != null);
    if (row.configured && (isChanged || types !== undefined || description !== undefined))
      throw invalid(
        'id',
        'This endpoint is in the operator’s configuration: only its status can be changed here.',
      );
    if (status === 'FAILING') throw invalid('status', 'status must be ENABLED or DISABLED.');
    const newSecret = newSecretOf(secret, rotateSecret);
    const target = url == null ? row.url : checkUrl(url);
    const isMoved = target !== row.url;
    const changes = {
      // Another update may have moved the endpoint since the row was read.
      url: isMoved ? target : sql<string>`url`,
      // It starts afresh there. A delivery under way to the old address loses its lease, so its result does not count.
      ...(isMoved && { ...restartNow, status: unlessDisabled, lease_owner: null, lease_until: null }),
      ...(types !== undefined && { types: checkTypes(types) }),
      ...(description !== undefined && { description: checkDescription(description) }),
      ...(newSecret && {
        sealed_secret: sealSecret(this.#deps.box, row.id, newSecret),
        // The secret at the time of the write: another update may have replaced it since the row was read.
        sealed_previous: sql<Buffer | null>`sealed_secret`,
        previous_until: new Date(Date.now() + rotationMs),
      }),
      ...(status === 'ENABLED' && { status, ...restartNow }),
      ...(status === 'DISABLED' && { status, next_at: null }),
    };
    return { changes, newSecret, newUrl: isMoved ? target : undefined };
  }

  async remove(issuer: Address, id: string): Promise<void> {
    const row = await this.#owned(issuer, id);
    if (this.#deps.configured.of(row))
      throw invalid(
        'id',
        'This endpoint is in the operator’s configuration: only the operator can remove it.',
      );
    await deleteEndpoint(this.#deps.db, issuer, id);
  }

  /** Sends a delivery of type TEST at once, also to an endpoint that is disabled. */
  async sendTest(issuer: Address, id: string, signal: AbortSignal): Promise<DeliveryRow> {
    const { db, box, sender, configured } = this.#deps;
    const row = await this.#owned(issuer, id);
    this.#probes.count(issuer);
    const secrets = secretsOf(box, row, configured.of(row));
    const testId = randomUUID();
    const body = bodyOf('TEST', 'A test, requested by sendTestDelivery. It is not about an event.');
    const { attempt, outcome } = await sender.send(row.url, secrets, { id: messageId(testId), body }, signal);
    // The endpoint may have been deleted during the request.
    await this.#owned(issuer, id);
    const status = outcome === 'ACCEPTED' ? 'DELIVERED' : 'FAILED';
    await recordDeliveries(db, id, [
      { id: testId, cursor: null, type: 'TEST', status, attempt, nextInMs: null },
    ]);
    return (await findDelivery(db, testId)) as DeliveryRow;
  }

  /** Makes deliveries due again, each with its full retry time. Returns how many became due. */
  async redeliver(issuer: Address, endpointId: string, which: RedeliverySelection): Promise<number> {
    const { db } = this.#deps;
    const row = await this.#owned(issuer, endpointId, 'webhookEndpoint');
    if (row.status === 'DISABLED')
      throw invalid(
        'webhookEndpoint',
        'This endpoint is disabled. Enable it first: updateWebhookEndpoint with status ENABLED.',
      );
    let count = 0;
    for (let last: DeliveryPosition | undefined; ; ) {
      // The log waits for the lock of its endpoints, so thousands are not made due in one transaction.
      const due = await db.transaction().execute(async (trx) => {
        // Lock the endpoint before its deliveries, in the order of the worker.
        const held = await updateEndpoint(trx, issuer, endpointId, tryNow);
        await wakeWorkers(trx);
        return held ? makeDue(trx, held, which, last) : [];
      });
      count += due.length;
      if (due.length < rowsAtOnce) return count;
      last = due.at(-1);
    }
  }

  async #owned(issuer: Address, id: string, name = 'id'): Promise<EndpointRow> {
    const row = await findEndpoint(this.#deps.db, issuer, id);
    if (row) return row;
    throw notFound(name);
  }

  async #assertCanAdd(db: Db, issuer: Address, url: string, except?: string): Promise<void> {
    const { maxEndpoints } = this.#deps.config;
    const others = (await listEndpoints(db, issuer)).filter(({ id }) => id !== except);
    if (others.some((one) => one.url === url))
      throw invalid('url', 'This address is an endpoint already. Change or delete that one.');
    if (others.length >= maxEndpoints)
      throw invalid(
        'url',
        `An issuer can have ${maxEndpoints} webhook endpoints. Delete one, or ask the operator to raise MAX_WEBHOOK_ENDPOINTS.`,
      );
  }

  async #challenge(issuer: Address, url: string, secrets: string[], signal: AbortSignal): Promise<void> {
    this.#probes.count(issuer);
    const body = bodyOf('CHALLENGE', 'Answer 2xx if this address is to get deliveries.');
    const message = { id: messageId(randomUUID()), body };
    checkChallenge(await this.#deps.sender.send(url, secrets, message, signal));
  }
}

/** The new secret of an update; null when the endpoint keeps its present one. */
function newSecretOf(
  secret: EndpointUpdate['secret'],
  rotate: EndpointUpdate['rotateSecret'],
): string | null {
  if (rotate) return secret == null ? generateSecret() : checkSecret(secret);
  if (secret != null) throw invalid('secret', 'secret can be set only together with rotateSecret: true.');
  return null;
}

const unlessDisabled = sql<WebhookEndpointStatus>`case status when 'DISABLED' then status else 'ENABLED' end`;

const bodyOf = (type: string, message: string) =>
  JSON.stringify({ type, timestamp: new Date().toISOString(), data: { message } });

const notFound = (name: string) =>
  new GatewayError({
    code: 'NOT_FOUND',
    message: 'There is no such webhook endpoint of this issuer.',
    path: ['input', name],
  });
