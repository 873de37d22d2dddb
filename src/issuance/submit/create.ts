import { randomUUID } from 'node:crypto';
import { fingerprint } from '@srr-gateway/common/canonical-json';
import { sql } from 'kysely';
import type { Credentials } from '../../clients/commerce/commerce.ts';
import { jsonbFault } from '../../lib/jsonb-safe.ts';
import { type Fault, GatewayError } from '../../model/errors.ts';
import { Signals } from '../../store/signals.ts';
import { checkpoint } from '../checkpoint.ts';
import type { FlowDeps, IssuanceRow } from '../flow.ts';
import { assertRecordLimit } from '../in-flight-limit.ts';
import type { EntryInput, IssueInput } from '../input.ts';
import { preflight } from '../preflight/preflight.ts';
import { requestIdFault } from '../request-id.ts';
import { buildPayloads } from './payload.ts';

/** The service recommends 250 entries or fewer in one request. */
const batchSize = 250;

/**
 * Checks and stores an issuance. The worker does the rest. The same requestId with the same input returns the
 * existing issuance; with other input the call is refused.
 * @throws GatewayError with every fault of the input.
 */
export async function createIssuance(
  deps: FlowDeps,
  credentials: Credentials,
  input: IssueInput,
  signal?: AbortSignal,
): Promise<IssuanceRow> {
  const requestId = input.requestId ?? randomUUID();
  assertStorable(input);
  // Leave out `given`, which repeats the entry: older issuances have fingerprints without it.
  const print = fingerprint({ entries: input.entries.map(withoutGiven), batching: input.batching });
  const known = await findByRequestId(deps, credentials, requestId, print);
  if (known) return known;
  const faults = await preflight(deps, credentials.issuer, input.entries, signal);
  if (faults.length > 0) throw new GatewayError(faults as [Fault, ...Fault[]]);

  try {
    await assertRecordLimit(deps.limits.entriesInFlight, deps.db, credentials.issuer, input.entries.length);
  } catch (error) {
    // A simultaneous copy of this call may have stored the issuance, and so reached the limit.
    const twin = await findByRequestId(deps, credentials, requestId, print);
    if (twin) return twin;
    throw error;
  }

  const built = await buildPayloads(deps, credentials, input.entries, signal);
  const id = randomUUID();
  const created = await deps.db.transaction().execute(async (trx) => {
    const row = await trx
      .insertInto('issuance')
      .values({
        id,
        issuer: credentials.issuer,
        request_id: requestId,
        fingerprint: print,
        batching: input.batching,
        entry_count: input.entries.length,
        status: 'WAITING_FOR_FILES',
        sealed_key: deps.keys.seal(credentials),
        next_at: new Date(0),
      })
      .onConflict((conflict) => conflict.columns(['issuer', 'request_id']).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!row) return undefined;
    const batchOf = (index: number) =>
      input.batching === 'ALL_OR_NOTHING' ? 0 : Math.floor(index / batchSize);
    const batches = [...new Set(built.payloads.map((_, index) => batchOf(index)))];
    await trx
      .insertInto('issuance_batch')
      .values(
        batches.map((index) => ({ issuance_id: id, index, status: 'PENDING', request_id: `${id}-${index}` })),
      )
      .execute();
    // One parameter for all entries: a statement takes 65,535 parameters at most.
    await sql`
      insert into gateway.issuance_entry (issuance_id, index, batch, issuer, external_id, status, payload, input)
      select ${id}, (row->>'index')::int, (row->>'batch')::int, ${credentials.issuer},
             row->'payload'->>'externalId', 'PENDING', row->'payload', row->'given'
      from jsonb_array_elements(${JSON.stringify(
        built.payloads.map((payload, index) => ({
          index,
          batch: batchOf(index),
          payload,
          given: input.entries[index]?.given,
        })),
      )}::jsonb) as row`.execute(trx);
    if (built.files.length > 0)
      await sql`
        insert into gateway.issuance_file (issuance_id, category, filename)
        select ${id}, row->>'category', row->>'filename'
        from jsonb_array_elements(${JSON.stringify(built.files)}::jsonb) as row`.execute(trx);
    await trx
      .insertInto('issuance_history')
      .values({ issuance_id: id, status: 'WAITING_FOR_FILES', reason: 'asked for by the issuer' })
      .execute();
    await Signals.send(trx, 'due', 'issuance');
    return row;
  });
  if (!created) {
    const winner = await findByRequestId(deps, credentials, requestId, print);
    if (winner) return winner;
    throw new Error('an issuance with this requestId vanished while it was being read');
  }
  checkpoint('stored', id);
  return created;
}

/**
 * Refuses input that the database cannot store. This comes first: with such a requestId even the look-up
 * would fail.
 */
function assertStorable({ requestId, entries }: IssueInput): void {
  const fault = jsonbFaults(entries)[0] ?? requestIdFault(requestId);
  if (fault) throw new GatewayError(fault);
}

/** The fault of entries that the database cannot store as JSON. Such input gets no other checks. */
export function jsonbFaults(entries: EntryInput[]): Fault[] {
  const bad = jsonbFault(entries.map(withoutGiven));
  if (!bad) return [];
  const path = ['input', 'entries', ...bad.path];
  return [{ code: 'INVALID_INPUT', message: `The input ${bad.why} and cannot be stored. Remove it.`, path }];
}

const withoutGiven = ({ given: _, ...entry }: EntryInput) => entry;

async function findByRequestId(
  deps: FlowDeps,
  credentials: Credentials,
  requestId: string,
  print: string,
): Promise<IssuanceRow | undefined> {
  const row = await deps.db
    .selectFrom('issuance')
    .selectAll()
    .where('issuer', '=', credentials.issuer)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  if (row && row.fingerprint !== print)
    throw new GatewayError({
      code: 'IDEMPOTENCY_CONFLICT',
      message: `requestId "${requestId}" was used for another issuance with other content. Use a new requestId, or send exactly what was sent then.`,
      path: ['input', 'requestId'],
    });
  return row;
}
