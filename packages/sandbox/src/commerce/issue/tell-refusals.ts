import type { FastifyInstance } from 'fastify';
import { externalIdsOf } from '../../control/response-faults.ts';
import type { EntryFailure, ErrorMessage } from '../../http/service-error.ts';
import type { Db } from '../../store/tables.ts';
import { queueDelivery } from '../../webhooks/outbox.ts';
import { requestMessages } from '../messages.ts';

export interface RefusalTelling {
  db: Db;
  /** Asked at each refusal. */
  wanted(): boolean;
  /** What deliveries of failed issuances are called. */
  failureType: string;
  onDeliveries(): void;
}

/** These refuse a repetition "without effect": what the first request asked for has not failed. */
const repetitions = [requestMessages.duplicateRequestId, requestMessages.duplicateContent('in_progress')].map(
  (message) => message.slice(0, message.indexOf(':')),
);

/**
 * Test mode: a refused issue request is told by webhook too, since the document says that one is called
 * "when issuance fails". The delivery is queued before the answer leaves, so it is there when that arrives.
 */
export function tellRefusals(scope: FastifyInstance, options: RefusalTelling): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    const issueRequest = request.routeOptions.url?.endsWith('/srrs') ?? false;
    // 401 is told to somebody who may be no issuer; 502 says nothing about the issuance.
    const refused = reply.statusCode === 400 || reply.statusCode === 500;
    if (!issueRequest || !refused || !options.wanted()) return payload;
    const { message } = JSON.parse(String(payload)) as { message: ErrorMessage };
    const failures = failuresOf(message, externalIdsOf(request.body));
    if (failures.length === 0) return payload;
    await queueDelivery(options.db, request.issuer, 'issue_failed', failures, options.failureType);
    options.onDeliveries();
    return payload;
  });
}

function failuresOf(message: ErrorMessage, externalIds: readonly string[]): EntryFailure[] {
  if (typeof message === 'object' && 'results' in message) return message.results;
  const reason = typeof message === 'string' ? message : message.join(', ');
  if (repetitions.some((start) => reason.startsWith(start))) return [];
  return [...new Set(externalIds)].map((externalId) => ({ status: 'failed', externalId, message: reason }));
}
