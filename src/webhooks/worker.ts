import type { Logger } from '@srr-gateway/common/log';
import { sql } from 'kysely';
import type { SecretBox } from '../access/secret-box.ts';
import type { WebhookConfig } from '../config/config.ts';
import type { EventLog } from '../events/event-log.ts';
import { appendEvents } from '../store/append-events.ts';
import { lockLog } from '../store/lock-log.ts';
import { type Leased, RowWorker, type StepResult } from '../store/row-worker.ts';
import type { Signals } from '../store/signals.ts';
import type { Db, EventRow } from '../store/tables.ts';
import type { ConfiguredEndpoints } from './configured.ts';
import {
  deliveryId,
  dueDeliveries,
  failUnwanted,
  failuresSince,
  findDelivery,
  messageId,
  recordDeliveries,
  untilDueDelivery,
} from './deliveries.ts';
import { DeliveryRound, type DueEvent } from './delivery-round.ts';
import { type EndpointRow, updateLeased } from './endpoints.ts';
import { secretsOf } from './secrets.ts';
import type { Sender } from './sender.ts';
import type { Throttle } from './throttle.ts';

/** An event as the query `events` shows it. */
export type ShowEvent = (event: EventRow, signal: AbortSignal) => Promise<object>;

export interface WorkerDeps {
  db: Db;
  signals: Signals;
  log: Logger;
  alone: boolean;
  events: EventLog;
  box: SecretBox;
  sender: Sender;
  throttle: Throttle;
  config: WebhookConfig;
  configured: ConfiguredEndpoints;
  show: ShowEvent;
}

/**
 * Endpoints served at once. Each waits for one answer at a time, and one that hangs keeps its slot for WEBHOOK_TIMEOUT
 * at each attempt. The pauses between its attempts grow.
 */
const concurrency = 64;
/** Events in one step: after a crash receivers may get as many twice. */
const chunk = 25;
/** After this time a step gives its slot to an endpoint that waits. */
const stepMs = 1_000;
/** Most retries in a step that also has new events, so that retries do not delay these. */
const maxRetriesBesideNew = 5;
/** Pause of an endpoint whose secret is not in this replica's configuration. Another replica may have it. */
const secretlessMs = 30_000;

/** Sends due events to each endpoint, in order and one at a time, on the replica that holds its lease. */
export const endpointWorker = (deps: WorkerDeps) =>
  new RowWorker({
    ...deps,
    table: 'webhook_endpoint',
    concurrency,
    // All endpoints of an issuer at once: one that hangs must not delay the others.
    perIssuer: deps.config.maxEndpoints,
    hinted: () => sql`has_more and attempts = 0 and status <> 'DISABLED'`,
    context: ({ id }) => ({ webhookEndpoint: id }),
    checkpoint: () => {},
    step: (leased) => step(deps, leased),
  });

async function step(
  deps: WorkerDeps,
  { row: claimed, owner, signal }: Leased<'webhook_endpoint'>,
): Promise<StepResult> {
  if (claimed.status === 'DISABLED') return 'final';
  // Clear `has_more` before the log is read, so that a later event sets it again. While it is set, the row is due at
  // once. Read the types in the same statement: older ones would skip events of a type added before the event came.
  const { types } = await updateLeased(deps.db, claimed.id, owner, { has_more: false });
  const row = { ...claimed, types };
  const secrets = secretsOf(deps.box, row, deps.configured.of(row));
  if (secrets.length === 0) return { afterMs: secretlessMs, attempts: row.attempts };
  const { due, head, wholeLog } = await dueEvents(deps, row);
  const round = new DeliveryRound(row, deps.config, await failuresOf(deps, row));
  const endAt = performance.now() + stepMs;
  let sentAll = true;
  let fault: unknown;
  try {
    for (const one of due) {
      sentAll = !round.failure && performance.now() < endAt;
      if (!sentAll) break;
      await deps.throttle.wait(row.id, signal);
      const id = idOfDelivery(row, one);
      const body = await bodyOf(deps, one, signal);
      const sent = await deps.sender.send(row.url, secrets, { id: messageId(id), body }, signal);
      round.add(id, one, sent);
    }
  } catch (error) {
    sentAll = false;
    fault = error;
  }
  // Record the results also after a fault, so that nothing is sent twice without need.
  if (sentAll && !round.failure && wholeLog) round.skipTo(head);
  await record(deps, round, owner);
  if (fault) throw fault;
  if (round.status === 'DISABLED') return 'final';
  if (round.failure) return { afterMs: round.failure.pauseMs, attempts: round.attempts };
  if (!sentAll || !wholeLog) return { afterMs: 0 };
  const nextMs = await untilDueDelivery(deps.db, row.id);
  return nextMs === undefined ? 'final' : { afterMs: nextMs };
}

/** Failures in a row. A round with nothing to send sets the count in the row to 0, but that is not a success. */
const failuresOf = async ({ db }: WorkerDeps, { id, attempts, failing_since: since }: EndpointRow) =>
  attempts > 0 || since === null ? attempts : failuresSince(db, id, since);

const idOfDelivery = ({ id }: EndpointRow, { event, retry }: DueEvent): string =>
  retry?.id ?? deliveryId(id, event.cursor);

const bodyOf = async ({ show }: WorkerDeps, { event }: DueEvent, signal: AbortSignal): Promise<string> =>
  JSON.stringify({
    type: event.type,
    timestamp: event.received_at.toISOString(),
    data: await show(event, signal),
  });

/** What to send now: the retries that are due on their own schedule, and the next events of the log. */
async function dueEvents({ db, events }: WorkerDeps, row: EndpointRow) {
  const { issuer } = row;
  // Read the head before the rows: an event stored in between is either among the rows or after the head.
  const head = await events.head(issuer);
  const rows = await events.read(issuer, row.cursor, chunk, { types: row.types ?? undefined });
  // After a failure the order counts first: the event that failed is tried before anything else.
  const limit = rows.length === 0 ? chunk : row.attempts > 0 ? 0 : maxRetriesBesideNew;
  const retries = limit > 0 ? await dueDeliveries(db, row, limit) : [];
  const due: DueEvent[] = [];
  for (const retry of retries) {
    const [event] = await events.read(issuer, String(BigInt(retry.cursor as string) - 1n), 1, {});
    if (event?.cursor === retry.cursor) due.push({ event, retry });
  }
  const [first] = rows;
  const blocking =
    first && row.attempts > 0 ? await findDelivery(db, deliveryId(row.id, first.cursor)) : undefined;
  for (const event of rows) due.push({ event, blocking: event === first ? blocking : undefined });
  return { due, head, wholeLog: rows.length < chunk };
}

async function record(deps: WorkerDeps, round: DeliveryRound, owner: string): Promise<void> {
  const { id, issuer } = round.endpoint;
  const disables = round.status === 'DISABLED';
  const stored = await deps.db.transaction().execute(async (trx) => {
    if (disables) await lockLog(trx, issuer);
    const { types, status } = await updateLeased(trx, id, owner, round.changes());
    await recordDeliveries(trx, id, round.results);
    const haveChanged = String(types) !== String(round.endpoint.types);
    if (round.failure && types && haveChanged) await failUnwanted(trx, id, types);
    // Somebody may have enabled the endpoint during the round.
    if (disables && status === 'DISABLED') await appendEvents(trx, issuer, [round.disabledEvent()]);
    return status;
  });
  if (round.status === round.endpoint.status || stored !== round.status) return;
  const { status, failingSince, lastAnswer } = round;
  if (status === 'ENABLED') deps.log.info('a webhook endpoint accepts deliveries again');
  else if (disables)
    deps.log.warn(
      { status, failingSince, lastAnswer },
      'a webhook endpoint is disabled: it gets no more deliveries',
    );
  else deps.log.warn({ status, failingSince, lastAnswer }, 'a webhook endpoint keeps failing');
}
