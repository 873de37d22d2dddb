import { type SqlBool, sql } from 'kysely';
import { type FileKey, fileKeyText, type UploadStatus } from '../../model/file.ts';
import type { Db } from '../../store/store.ts';

/** A file that an issuance waits for, as the worker last saw it. */
export interface WaitedFile extends FileKey {
  status: UploadStatus;
  /** The service's message about it, truncated and redacted. */
  message: string | null;
  /** How long it has had this status, in milliseconds by the database's clock. */
  forMs: number;
  /** How often in a row it was seen with this status. */
  looks: number;
}

/** The state of a file in one answer of the service. */
export type ObservedFile = Pick<WaitedFile, 'filename' | 'category' | 'status' | 'message'>;

/** Status of a file. `ready` comes first: a replica of an earlier version sets only that column. */
export const fileStatus = sql<UploadStatus>`case when file.ready then 'READY' else file.status end`;

/** The files of an issuance that are not ready yet. */
export async function filesWaitedFor(db: Db, issuanceId: string): Promise<WaitedFile[]> {
  const { rows } = await sql<WaitedFile>`
    select category, filename, status, message, looks, ${ageMs} as "forMs"
    from gateway.issuance_file as file where issuance_id = ${issuanceId} and not ready`.execute(db);
  return rows;
}

/**
 * Stores the states, and returns the files as they are now. Writes only files that changed or whose checks are
 * counted, so that waiting for a hash costs no writes.
 */
export async function storeObserved(
  trx: Db,
  issuanceId: string,
  before: WaitedFile[],
  seen: ObservedFile[],
): Promise<WaitedFile[]> {
  const written = seen.filter((file, i) => {
    const last = before[i] as WaitedFile;
    const counted = file.status === 'AWAITING_BYTES' || file.status === 'FAILED';
    return counted || differ(file, last);
  });
  if (written.length === 0) return before;
  const { rows } = await sql<WaitedFile>`
    update gateway.issuance_file as file set
      ready = seen.status = 'READY',
      since = case when ${unchanged} then file.since else clock_timestamp() end,
      looks = case when ${unchanged} then file.looks + 1 else 1 end,
      status = seen.status,
      message = seen.message
    from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
      as seen(category text, filename text, status text, message text)
    where issuance_id = ${issuanceId} and file.category = seen.category and file.filename = seen.filename
    returning file.category, file.filename, file.status, file.message, file.looks, ${ageMs} as "forMs"`.execute(
    trx,
  );
  const updated = new Map(rows.map((row) => [fileKeyText(row), row]));
  return before.map((file) => updated.get(fileKeyText(file)) ?? file);
}

/** Stores the same message at every file that is not ready. Returns whether that changed any. */
export async function storeMessage(trx: Db, issuanceId: string, message: string): Promise<boolean> {
  const changed = await trx
    .updateTable('issuance_file')
    .set({ message })
    .where('issuance_id', '=', issuanceId)
    .where('ready', '=', false)
    .where('message', 'is distinct from', message)
    .returning('filename')
    .execute();
  return changed.length > 0;
}

/** Whether two looks differ in what callers can see. */
export const differ = (one: ObservedFile, other: ObservedFile): boolean =>
  one.status !== other.status || one.message !== other.message;

const unchanged = sql<SqlBool>`file.status = seen.status`;
const ageMs = sql<number>`(extract(epoch from clock_timestamp() - file.since) * 1000)::float8`;
