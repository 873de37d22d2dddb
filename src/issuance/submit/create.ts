import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { fingerprint } from '@srr-gateway/common/canonical-json';
import { sql } from 'kysely';
import type { Credentials } from '../../clients/commerce/commerce.ts';
import { jsonbFault } from '../../lib/jsonb-safe.ts';
import { assertNoFaults, type Fault, GatewayError } from '../../model/errors.ts';
import type { Db } from '../../store/store.ts';
import { checkpoint } from '../checkpoint.ts';
import type { FlowDeps, IssuanceRow } from '../flow.ts';
import { assertRecordLimit } from '../in-flight-limit.ts';
import type { EntryInput, IssueInput } from '../input.ts';
import { preflight } from '../preflight/preflight.ts';
import { renewKey } from '../renew-key.ts';
import { requestIdFault } from '../request-id-fault.ts';
import { insertIssuance } from './insert-issuance.ts';
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
  // Leave out `input`, which repeats the entry: older issuances have fingerprints without it.
  const print = fingerprint({ entries: input.entries.map(withoutInput), batching: input.batching });
  const { existing, open } = await findByRequestId(deps.db, credentials.issuer, requestId);
  if (existing) {
    assertSameInput(existing, print);
    await renewKey(deps, 'issuance', existing, credentials);
    return existing;
  }
  const faults = await preflight(deps, credentials.issuer, input.entries, signal);
  assertNoFaults(faults);
  const limit = deps.limits.entriesInFlight;
  await assertRecordLimit(deps.db, credentials.issuer, { limit, open, adding: input.entries.length });

  const built = await buildPayloads(deps, credentials, input.entries, signal);
  const batchOf = (index: number) =>
    input.batching === 'ALL_OR_NOTHING' ? 0 : Math.floor(index / batchSize);
  const created = await insertIssuance(deps.db, {
    issuer: credentials.issuer,
    requestId,
    print,
    batching: input.batching,
    sealedKey: deps.keys.seal(credentials),
    entries: built.payloads.map((payload, index) => ({
      index,
      batch: batchOf(index),
      payload,
      input: input.entries[index]?.input,
    })),
    files: built.files,
  });
  if (!created) {
    const { existing: winner } = await findByRequestId(deps.db, credentials.issuer, requestId);
    if (!winner) throw new Error('an issuance with this requestId vanished while it was being read');
    assertSameInput(winner, print);
    return winner;
  }
  checkpoint('stored', created.id);
  return created;
}

/**
 * Refuses input that the database cannot store. This check comes first, because the look-up of such a requestId would
 * fail.
 */
function assertStorable({ requestId, entries }: IssueInput): void {
  const fault = jsonbFaults(entries)[0] ?? requestIdFault(requestId);
  if (fault) throw new GatewayError(fault);
}

/** The fault of entries that the database cannot store as JSON. Such input gets no other checks. */
export function jsonbFaults(entries: EntryInput[]): Fault[] {
  // Check the caller's form first, for its path: a converted file reference has other names.
  const bad = jsonbFault(entries.map(({ input }) => input ?? null)) ?? jsonbFault(entries.map(withoutInput));
  if (!bad) return [];
  const path = ['input', 'entries', ...bad.path];
  return [{ code: 'INVALID_INPUT', message: `The input ${bad.why} and cannot be stored. Remove it.`, path }];
}

const withoutInput = ({ input: _, ...entry }: EntryInput) => entry;

/** The issuance with this requestId, and the number of the issuer's records without an outcome, in one snapshot. */
async function findByRequestId(
  db: Db,
  issuer: Address,
  requestId: string,
): Promise<{ existing: IssuanceRow | undefined; open: number }> {
  const { rows } = await sql<IssuanceRow & { open_count: string | null }>`
    select known.*, open_count
    from (
      select sum(entry_count) as open_count from gateway.issuance
      where issuer = ${issuer} and completed_at is null
    ) as counted
    left join gateway.issuance as known on known.issuer = ${issuer} and known.request_id = ${requestId}`.execute(
    db,
  );
  const [{ open_count, ...existing }] = rows as [(typeof rows)[number]];
  return { existing: existing.id === null ? undefined : existing, open: Number(open_count) };
}

/** @throws GatewayError IDEMPOTENCY_CONFLICT when the known issuance has other input. */
function assertSameInput(existing: IssuanceRow, print: string): void {
  if (existing.fingerprint === print) return;
  throw new GatewayError({
    code: 'IDEMPOTENCY_CONFLICT',
    message: `requestId "${existing.request_id}" was used for another issuance with other content. Use a new requestId, or send exactly what was sent then.`,
    path: ['input', 'requestId'],
  });
}
