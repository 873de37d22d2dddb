import { sleep } from '@srr-gateway/common/time';
import { GatewayError } from '../../model/errors.ts';
import { recordKeyOfRow, recordKeyText } from '../../model/record.ts';
import type { FlowDeps, IssuanceKey } from '../flow.ts';

/** Pause between queries of the subgraph. Blocks come every few seconds at best. */
const pollMs = 500;

/**
 * Waits until the subgraph shows all issued records of an issuance, for `indexWait` at most. False when the issuance
 * has no issued record.
 */
export async function waitUntilIndexed(
  deps: Pick<FlowDeps, 'db' | 'mintedOf' | 'timeouts'>,
  { id, issuer }: IssuanceKey,
  signal: AbortSignal,
): Promise<boolean> {
  const entries = await deps.db
    .selectFrom('issuance_entry')
    .select(['token_id', 'collection_address'])
    .where('issuance_id', '=', id)
    .where('issuer', '=', issuer)
    .where('status', '=', 'ISSUED')
    .where('token_id', 'is not', null)
    .execute();
  if (entries.length === 0) return false;
  let missing = entries.map(recordKeyOfRow);
  for (const giveUpAt = performance.now() + deps.timeouts.indexWait; ; ) {
    const shown = await deps.mintedOf(missing, signal).catch((error: unknown) => {
      // The subgraph may come back in time.
      if (error instanceof GatewayError || signal.aborted) return { minted: [] };
      throw error;
    });
    const minted = new Set(shown.minted.map(recordKeyText));
    missing = missing.filter((token) => !minted.has(recordKeyText(token)));
    if (missing.length === 0 || signal.aborted || performance.now() + pollMs > giveUpAt) return true;
    await sleep(pollMs, signal).catch(() => {});
  }
}
