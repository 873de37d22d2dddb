import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { fingerprint } from '@srr-gateway/common/canonical-json';
import type { Credentials } from '../../clients/commerce/commerce.ts';
import { GatewayError } from '../../model/errors.ts';
import { now } from '../../store/database-time.ts';
import { Signals } from '../../store/signals.ts';
import { checkpoint } from '../checkpoint.ts';
import { assertCollectionLimit } from '../in-flight-limit.ts';
import { renewKey } from '../renew-key.ts';
import { type CheckedInput, type CollectionInput, checkInput } from './check-input.ts';
import type { CollectionCreationRow, CollectionDeps } from './creation.ts';
import { CollectionReads } from './reads.ts';

/**
 * Stores the creation of a collection before anything is sent; the worker sends it. The same requestId with the same
 * input returns the creation that exists.
 * @throws GatewayError with every fault of the input, when nothing was stored.
 */
export async function createCollection(
  deps: CollectionDeps,
  credentials: Credentials,
  input: CollectionInput,
): Promise<CollectionCreationRow> {
  const { issuer } = credentials;
  const checked = checkInput(input);
  const { requestId, name, symbol, salt } = checked;
  // Leave out a random salt, which the caller did not send.
  const print = fingerprint({ name, symbol, salt: input.salt?.toLowerCase() ?? null });
  const known = await findKnown(deps, issuer, checked, input, print);
  if (known) {
    await renewKey(deps, 'collection_creation', known, credentials);
    return known;
  }
  await assertCollectionLimit(deps.db, issuer);
  const created = await deps.db.transaction().execute(async (trx) => {
    const inserted = await trx
      .insertInto('collection_creation')
      .values({
        id: randomUUID(),
        issuer,
        request_id: requestId,
        fingerprint: print,
        name,
        symbol,
        salt,
        status: 'PENDING',
        sealed_key: deps.keys.seal(credentials),
        next_at: now,
      })
      // The conflict is on the requestId or on the salt.
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (inserted) await Signals.send(trx, 'due', 'collection_creation');
    return inserted;
  });
  const row = created ?? (await findKnown(deps, issuer, checked, input, print));
  if (!row) throw new Error('a creation with this requestId vanished while it was being read');
  if (created) checkpoint('stored', row.id);
  return row;
}

/**
 * Finds the creation that an earlier identical call has stored.
 * @throws GatewayError when the requestId or the salt was used for something else.
 */
async function findKnown(
  { db }: CollectionDeps,
  issuer: Address,
  { requestId, name, symbol, salt }: CheckedInput,
  input: CollectionInput,
  print: string,
): Promise<CollectionCreationRow | undefined> {
  const reads = new CollectionReads(db);
  // Read by salt first: a concurrent copy of this call may store its creation between the two reads, and the read by
  // requestId then finds it.
  const saltHolder = await reads.bySalt(issuer, salt);
  const known = await reads.byRequestId(issuer, requestId);
  if (known && known.fingerprint !== print)
    throw new GatewayError({
      code: 'IDEMPOTENCY_CONFLICT',
      message: `requestId "${requestId}" was used for another collection with other content. Use a new requestId, or send exactly what was sent then.`,
      path: ['input', 'requestId'],
    });
  if (known) return known;
  if (!saltHolder) return undefined;
  // A caller without a requestId may repeat a call by its salt.
  const isSame = saltHolder.name === name && saltHolder.symbol === symbol;
  if (input.requestId === undefined && isSame) return saltHolder;
  throw new GatewayError({
    code: 'IDEMPOTENCY_CONFLICT',
    message: `The collection of requestId "${saltHolder.request_id}" has this salt, and a salt works once. Use another salt, or leave it out for a random one.`,
    path: ['input', 'salt'],
  });
}
