import { sql } from 'kysely';
import type { IssueResult } from '../../clients/commerce/commerce.ts';
import { now } from '../../store/database-time.ts';
import { LeaseLost } from '../../store/due-rows.ts';
import { entriesOf } from '../batch-state.ts';
import { checkpoint } from '../checkpoint.ts';
import type { BatchRow, IssuerStepContext, StepContext } from '../flow.ts';

/**
 * Sends a batch, after marking it as sent, so that it is still marked after a crash.
 * @throws CommerceRefusal or UpstreamError when the service refuses or does not answer.
 */
export async function sendBatch(context: IssuerStepContext, batch: BatchRow): Promise<IssueResult[]> {
  const { deps, credentials, signal } = context;
  await changeBatch(context, batch, { status: 'SENDING', sent: batch.sent + 1 });
  checkpoint('marked-as-sending', batch.issuance_id);
  const payload = (await entriesOf(deps.db, batch)).map((entry) => entry.payload);
  const results = await deps.commerce.issue(credentials, { requestId: batch.request_id, payload }, signal);
  checkpoint('answered', batch.issuance_id);
  return results;
}

/**
 * The requestId that a batch has from its request number `sent` on. It is derived, so that it shows its origin and is
 * the same after a crash.
 */
export const requestIdSince = (batch: BatchRow, sent: number): string =>
  `${batch.issuance_id}-${batch.index}-${sent}`;

export const newRequestId = (batch: BatchRow): string => requestIdSince(batch, batch.sent + 1);

/**
 * Updates a batch, in the database and in memory. Does not change an ACCEPTED batch in the database.
 * @throws LeaseLost when this step no longer holds its lease.
 */
export async function changeBatch(
  context: StepContext,
  batch: BatchRow,
  change: Partial<Pick<BatchRow, 'status' | 'sent' | 'request_id'>>,
): Promise<void> {
  const { deps, issuance, owner } = context;
  const owned = await deps.db
    .with('owned', (db) =>
      db
        .selectFrom('issuance')
        .select('id')
        .where('id', '=', issuance.id)
        .where('issuer', '=', issuance.issuer)
        .where('lease_owner', '=', owner)
        .forUpdate(),
    )
    .with('changed', (db) =>
      db
        .updateTable('issuance_batch')
        .set({
          ...change,
          ...(change.sent && {
            first_sent_at: sql<Date>`coalesce(first_sent_at, clock_timestamp())`,
            last_sent_at: now,
          }),
        })
        .where('issuance_id', 'in', (sub) => sub.selectFrom('owned').select('id'))
        .where('index', '=', batch.index)
        .where('status', '!=', 'ACCEPTED'),
    )
    .selectFrom('owned')
    .select('id')
    .executeTakeFirst();
  if (!owned) throw new LeaseLost();
  Object.assign(batch, change);
}
