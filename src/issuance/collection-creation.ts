import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Credentials } from '../commerce/commerce.ts';
import { type Address, parseAddress } from '../lib/address.ts';
import { type Fault, GatewayError, UpstreamError } from '../lib/errors.ts';
import { unstorable } from '../lib/storable.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';
import type { CollectionCreationTable } from '../store/tables.ts';
import type { FlowDeps } from './flow.ts';
import type { EventRow } from './match-events.ts';

export type CollectionCreationRow = Selectable<CollectionCreationTable>;

export interface CollectionInput {
  name: string;
  symbol: string;
  salt?: string | undefined;
}

/**
 * Asks for a collection contract. Its address is known at once; whether it was deployed comes as an
 * event. Sent once: the salt decides the address and works once, so it is what makes a repetition safe.
 */
export async function createCollection(
  deps: Pick<FlowDeps, 'db' | 'commerce'>,
  credentials: Credentials,
  input: CollectionInput,
  signal?: AbortSignal,
): Promise<CollectionCreationRow> {
  const faults = checkCollection(input);
  if (faults.length > 0) throw new GatewayError(faults as [Fault, ...Fault[]]);
  const salt = input.salt ?? `0x${randomBytes(32).toString('hex')}`;
  const { name, symbol } = input;
  const result = await deps.commerce
    .createCollection(credentials, { name, symbol, salt }, signal)
    .catch((error: unknown) => {
      throw error instanceof UpstreamError && error.maybeProcessed ? outcomeUnknown(error, salt) : error;
    });
  const address = parseAddress(result.collectionAddress);
  if (!address)
    throw new GatewayError({
      code: 'UPSTREAM_BAD_RESPONSE',
      message:
        'The service answered with an address that is none. List the issuer’s collections before trying again.',
    });
  return deps.db.transaction().execute(async (trx) => {
    await lockLog(trx, credentials.issuer);
    await trx
      .insertInto('collection_creation')
      .values({
        issuer: credentials.issuer,
        address,
        name: result.name,
        symbol: result.symbol,
        status: result.status === 'failed' ? 'FAILED' : 'WAITING_FOR_MINING',
      })
      .onConflict((conflict) => conflict.columns(['issuer', 'address']).doNothing())
      .execute();
    // Its event may have been faster than this answer.
    const events = await trx
      .selectFrom('event')
      .selectAll()
      .where('issuer', '=', credentials.issuer)
      .where('collection_address', '=', address)
      .where('type', 'in', ['COLLECTION_CREATED', 'COLLECTION_FAILED'])
      .orderBy('cursor')
      .execute();
    for (const event of events) await settleCollection(trx, event);
    return trx
      .selectFrom('collection_creation')
      .selectAll()
      .where('issuer', '=', credentials.issuer)
      .where('address', '=', address)
      .executeTakeFirstOrThrow();
  });
}

/** A deployed contract stays deployed: a later failure of the same address says nothing about it. */
export async function settleCollection(trx: Db, event: EventRow): Promise<void> {
  if (event.collection_address === null) return;
  const created = event.type === 'COLLECTION_CREATED';
  const fault: Fault = {
    code: 'MINING_FAILED',
    message: 'The collection could not be deployed. Create it again with another salt.',
    ...(event.message && { upstreamMessage: event.message }),
  };
  await trx
    .updateTable('collection_creation')
    .set({
      status: created ? 'ISSUED' : 'FAILED',
      error: created ? null : JSON.stringify(fault),
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('issuer', '=', event.issuer)
    .where('address', '=', event.collection_address)
    .where('status', '!=', 'ISSUED')
    .execute();
}

export function collectionCreation(
  db: Db,
  issuer: Address,
  address: Address,
): Promise<CollectionCreationRow | undefined> {
  return db
    .selectFrom('collection_creation')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('address', '=', address)
    .executeTakeFirst();
}

function checkCollection({ name, symbol, salt }: CollectionInput): Fault[] {
  const faults: Fault[] = [];
  for (const [field, value] of Object.entries({ name, symbol }))
    if (value.trim() === '' || unstorable(value))
      faults.push({
        code: 'INVALID_INPUT',
        message: `Give the collection a ${field}, in well-formed text without NUL.`,
        path: ['input', field],
      });
  if (salt !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(salt))
    faults.push({
      code: 'INVALID_INPUT',
      message: 'salt is 0x and 64 hex digits; leave it out for a random one.',
      path: ['input', 'salt'],
    });
  return faults;
}

const outcomeUnknown = (error: UpstreamError, salt: string) =>
  new GatewayError(
    {
      code: error.code,
      message: `The service did not answer; the collection may or may not be under way. Send it again with salt ${salt}: a salt works once, so this cannot make a second one.`,
    },
    { cause: error },
  );
