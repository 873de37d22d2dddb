import type { Address } from '@srr-gateway/common/address';
import type { Fault } from '../../model/errors.ts';
import { now } from '../../store/database-time.ts';
import { collectionEvents } from '../../store/events-of-issuance.ts';
import { Signals } from '../../store/signals.ts';
import type { Db } from '../../store/store.ts';
import type { HeldDelivery } from '../../store/tables.ts';
import { type CollectionContext, type CollectionCreationRow, changeWithLog } from './creation.ts';
import { miningFault, settle } from './settle.ts';

/** Records that the service accepted the request, and the address in its response. Applies an earlier delivery. */
export async function accept(context: CollectionContext, address: Address): Promise<void> {
  const { failureWatch } = context.deps.timeouts;
  await changeWithLog(context, async (trx, row) => {
    const { settled, early } = await settleByAddress(trx, row, address);
    if (settled) return;
    // When the salt was sent twice, one request must fail, so the subgraph decides what the failure means.
    if (early?.status === 'FAILED' && row.sent === 1) {
      const error = miningFault(early.message);
      const outcome = { status: 'FAILED', source: 'WEBHOOK', address, error, watchMs: failureWatch } as const;
      return settle(trx, row, outcome, early);
    }
    // A failure without an address may be another creation's. Keep it, because it is reported only once, and let the
    // subgraph decide.
    const unaddressed = row.held?.status === 'FAILED' && row.held.address === null ? row.held : undefined;
    const held = early ?? unaddressed;
    await trx
      .updateTable('collection_creation')
      .set({
        status: 'WAITING_FOR_MINING',
        // From here on only the subgraph is queried, without an API key, and an outcome may never come.
        sealed_key: null,
        address,
        unanswered_at: null,
        last_fault: null,
        held: held ? JSON.stringify(held) : null,
        attempts: 0,
        updated_at: now,
      })
      .where('id', '=', row.id)
      .execute();
    await Signals.send(trx, 'collection', row.id);
  });
}

/**
 * Settles a creation if the address in the answer belongs to another creation, or if a delivery has reported it as
 * created. Else returns the earlier delivery, if there is one.
 */
async function settleByAddress(
  trx: Db,
  row: CollectionCreationRow,
  address: Address,
): Promise<{ settled: boolean; early?: HeldDelivery | undefined }> {
  if (await belongsToOtherCreation(trx, row, address)) {
    await settle(trx, row, {
      status: 'FAILED',
      source: 'RESPONSE',
      address: null,
      error: saltUsed,
      watchMs: 0,
    });
    return { settled: true };
  }
  const early = await earlyDelivery(trx, row, address);
  if (early?.status !== 'ISSUED') return { settled: false, early };
  await settle(trx, row, { status: 'ISSUED', source: 'WEBHOOK', address }, early);
  return { settled: true };
}

/** Whether the address belongs to another creation of the issuer, so that the salt had been used already. */
async function belongsToOtherCreation(
  trx: Db,
  { id, issuer }: CollectionCreationRow,
  address: Address,
): Promise<boolean> {
  const another = await trx
    .selectFrom('collection_creation')
    .select('id')
    .where('issuer', '=', issuer)
    .where('address', '=', address)
    .where('id', '!=', id)
    .executeTakeFirst();
  return another !== undefined;
}

const saltUsed: Fault = {
  code: 'SERVICE_ERROR',
  message:
    'The service answered with the address of an earlier collection of this issuer: a salt works once. Create it again under a new requestId, with another salt or with none.',
  path: ['input', 'salt'],
};

/** The delivery that came before the address was known: held on the row, or stored as an unmatched event. */
async function earlyDelivery(
  trx: Db,
  { issuer, created_at, held }: CollectionCreationRow,
  address: Address,
): Promise<HeldDelivery | undefined> {
  const events = await collectionEvents(trx, issuer, address, created_at);
  const deliveries = events.map(
    ({ type, kind, message, raw }): HeldDelivery => ({
      status: type === 'COLLECTION_CREATED' ? 'ISSUED' : 'FAILED',
      sure: true,
      address,
      kind,
      message,
      raw,
    }),
  );
  if (held && (held.sure || held.address === address)) deliveries.push(held);
  // A reported creation overrides a failure, which may be that of another request with the same salt.
  return deliveries.find(({ status }) => status === 'ISSUED') ?? deliveries.at(-1);
}

/**
 * Records a response that says that nothing was created. A delivery that proves otherwise wins, even one that names
 * only the address in the response.
 */
export async function fail(
  context: CollectionContext,
  error: Fault,
  more: { address?: Address | undefined; watchMs: number; saltFree?: boolean },
): Promise<void> {
  await changeWithLog(context, async (trx, row) => {
    if (row.status !== 'PENDING') return;
    const { address = null, watchMs, saltFree = false } = more;
    if (address && (await settleByAddress(trx, row, address)).settled) return;
    await settle(trx, row, { status: 'FAILED', source: 'RESPONSE', address, error, watchMs, saltFree });
  });
}
