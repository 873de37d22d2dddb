import { sql } from 'kysely';
import type { FileKey, FileState } from '../../commerce/commerce.ts';
import type { Fault } from '../../lib/errors.ts';
import { backoff } from '../../lib/time.ts';
import { checkpoint } from '../checkpoint.ts';
import { keyText } from '../file-references.ts';
import type { IssuersTurn, Next, Turn } from '../flow.ts';
import { lockOwned, touch, transition } from '../transition.ts';

// Small files are hashed within a second or two; large ones in minutes, where a few seconds are no matter.
const pollMs = { firstMs: 250, maxMs: 10_000 };

/** WAITING_FOR_FILES: asks for all files in one call, until each has its hash and cid. */
export async function waitForFiles(turn: IssuersTurn): Promise<Next> {
  const { deps, issuance, credentials, signal } = turn;
  const waiting = (await deps.db
    .selectFrom('issuance_file')
    .select(['filename', 'category'])
    .where('issuance_id', '=', issuance.id)
    .where('ready', '=', false)
    .execute()) as FileKey[];
  const states = waiting.length > 0 ? await deps.commerce.fileMetadata(credentials, waiting, signal) : [];
  checkpoint('files-asked', issuance.id);
  const files = waiting.map((key, i) => ({ key, state: states[i] as FileState }));

  const missing = files.filter(({ state }) => state.missing);
  if (missing.length > 0) return reject(turn, missingFault(missing.map(({ key }) => key)));
  const ready = files.filter(({ state }) => state.hash && state.cid);
  const mismatch = await recordReady(turn, ready);
  if (mismatch) return reject(turn, mismatch);
  checkpoint('files-recorded', issuance.id);

  if (ready.length === waiting.length) {
    await deps.db.transaction().execute(async (trx) => {
      const row = await lockOwned(trx, turn);
      if (row.status === 'WAITING_FOR_FILES')
        await transition(trx, row, 'SUBMITTING', 'every file has its hash and cid');
    });
    checkpoint('ready-to-submit', issuance.id);
    return 'again';
  }
  const late = files.filter(({ state }) => !(state.hash && state.cid));
  if (Date.now() - issuance.created_at.getTime() > deps.timeouts.filesReady)
    return reject(turn, notReadyFault(late));
  // Progress starts the backoff anew: where one file is done the next is near.
  const attempts = ready.length > 0 ? 0 : issuance.attempts;
  return { afterMs: backoff(attempts, pollMs), attempts: attempts + 1 };
}

/** Remembers hashes and cids; returns a fault when one is not what the caller announced. */
async function recordReady(
  turn: Turn,
  files: { key: FileKey; state: FileState }[],
): Promise<Fault | undefined> {
  if (files.length === 0) return undefined;
  const { issuance } = turn;
  return turn.deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    let fault: Fault | undefined;
    for (const { key, state } of files) {
      await trx
        .updateTable('issuance_file')
        .set({ ready: true })
        .where('issuance_id', '=', issuance.id)
        .where('category', '=', key.category)
        .where('filename', '=', key.filename)
        .execute();
      const upload = await trx
        .updateTable('upload')
        .set({
          hash: state.hash ?? null,
          cid: state.cid ?? null,
          size: state.size === undefined ? null : String(state.size),
          updated_at: sql<Date>`clock_timestamp()`,
        })
        .where('issuer', '=', issuance.issuer)
        .where('category', '=', key.category)
        .where('filename', '=', key.filename)
        .returning('expected_hash')
        .executeTakeFirst();
      if (upload?.expected_hash && upload.expected_hash !== state.hash)
        fault = {
          code: 'CONTENT_MISMATCH',
          message: `The stored content of ${keyText(key)} is not what was announced (${state.hash}, not ${upload.expected_hash}). Upload it again under a new name.`,
        };
    }
    await touch(trx, row);
    return fault;
  });
}

async function reject(turn: Turn, fault: Fault): Promise<Next> {
  await turn.deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    await trx
      .updateTable('issuance_entry')
      .set({ status: 'CANCELLED', updated_at: sql<Date>`clock_timestamp()` })
      .where('issuance_id', '=', row.id)
      .where('status', '=', 'PENDING')
      .execute();
    await transition(trx, row, 'REJECTED', fault.message, fault);
  });
  return 'final';
}

const missingFault = (keys: FileKey[]): Fault => ({
  code: 'FILE_NOT_FOUND',
  message: `Not in storage: ${keys.map(keyText).join(', ')}. Upload the bytes first, then issue again under a new requestId.`,
});

const notReadyFault = (files: { key: FileKey; state: FileState }[]): Fault => ({
  code: 'FILE_NOT_READY',
  message: `The service has not calculated the hash of ${files.map(({ key }) => keyText(key)).join(', ')} in time; nothing was issued.`,
  ...(files[0]?.state.message && { upstreamMessage: files[0].state.message }),
});
