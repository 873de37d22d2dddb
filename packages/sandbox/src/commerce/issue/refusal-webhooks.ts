import type { Logger } from '@srr-gateway/common/log';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { externalIdsOf } from '../../faults/response-faults.ts';
import { requestMessages } from '../../http/messages.ts';
import { issueRefusals } from '../../http/refusals.ts';
import type { EntryFailure, ErrorMessage } from '../../http/service-error.ts';
import type { Db } from '../../store/tables.ts';
import { queueDelivery } from '../../webhooks/outbox.ts';
import { knownExternalIds } from './existing-values.ts';

/** Dependencies of the webhooks of refusals. */
interface RefusalWebhookOptions {
  db: Db;
  /** Whether to send one; called at each refusal, because it is a runtime setting. */
  wanted(): boolean;
  /** The `type` of deliveries of failed issuances. */
  failureType: string;
  log: Logger;
  onDeliveries(): void;
}

/** Beginnings of messages that refuse a repetition "without effect": the first request has not failed. */
const repetitions = [requestMessages.duplicateRequestId, requestMessages.duplicateContent('in_progress')].map(
  (message) => message.slice(0, message.indexOf(':')),
);

/**
 * Test mode: sends a webhook for a refused issue request too, since the document says that one is sent
 * "when issuance fails". The delivery is queued before the answer leaves, so a client that has the answer
 * finds the delivery in the list.
 */
export function notifyRefusals(scope: FastifyInstance, options: RefusalWebhookOptions): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    const issueRequest = request.routeOptions.url?.endsWith('/srrs') ?? false;
    if (issueRequest && reply.statusCode in issueRefusals && options.wanted())
      // The refusal stands, even if the database is down.
      await tell(request, String(payload)).catch((error: unknown) =>
        options.log.error({ err: error }, 'a refusal could not be told by webhook'),
      );
    return payload;
  });

  async function tell({ issuer, body }: FastifyRequest, answer: string): Promise<void> {
    const { message } = JSON.parse(answer) as { message: ErrorMessage };
    const allFailures = failuresOf(message, externalIdsOf(body));
    const known = await knownExternalIds(
      options.db,
      issuer,
      allFailures.map(({ externalId }) => externalId),
    );
    // An existing record has a webhook of its own; this refusal says nothing about it.
    const failures = allFailures.filter(({ externalId }) => !known.has(externalId));
    if (failures.length === 0) return;
    await queueDelivery(options.db, issuer, 'issue_failed', failures, options.failureType);
    options.onDeliveries();
  }
}

function failuresOf(message: ErrorMessage, externalIds: readonly string[]): EntryFailure[] {
  if (typeof message === 'object' && 'results' in message) return message.results;
  const reason = typeof message === 'string' ? message : message.join(', ');
  if (repetitions.some((start) => reason.startsWith(start))) return [];
  return [...new Set(externalIds)].map((externalId) => ({ status: 'failed', externalId, message: reason }));
}
