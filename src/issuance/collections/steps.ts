import { withSpan } from '../../observability/trace.ts';
import type { Next } from '../flow.ts';
import { LeaseLost } from '../lease.ts';
import { fail } from './answer.ts';
import type { CollectionTurn } from './creation.ts';
import { follow, watch } from './follow.ts';
import { lookUp } from './look-up.ts';
import { resolveUnknown, submit } from './submit.ts';

/** How often the subgraph is asked while the issuer, who may come back, is not in the configuration. */
const keylessMs = 60_000;

/**
 * Takes a creation from state to state until it is final or has to wait.
 * @throws LeaseLost when the creation was settled or another replica has it.
 */
export async function advance(turn: CollectionTurn): Promise<Next> {
  for (;;) {
    turn.signal.throwIfAborted();
    const { status } = turn.row;
    const span = { name: `collection ${status}`, kind: 'INTERNAL', attributes: {} } as const;
    const next = await withSpan(span, () => step(turn));
    if (next !== 'again') return next;
    const row = await turn.deps.db
      .selectFrom('collection_creation')
      .selectAll()
      .where('id', '=', turn.row.id)
      .where('lease_owner', '=', turn.owner)
      .executeTakeFirst();
    // It was settled, which ends the lease.
    if (!row) throw new LeaseLost();
    turn.row = row;
  }
}

function step(turn: CollectionTurn): Promise<Next> {
  const { status, issuer, sealed_key, unanswered_at } = turn.row;
  if (status === 'WAITING_FOR_MINING') return follow(turn);
  if (status === 'FAILED') return watch(turn);
  if (status !== 'PENDING') return Promise.resolve('final');
  const credentials = turn.deps.keys.open(issuer, sealed_key);
  if (!credentials) return withoutCredentials(turn);
  return unanswered_at ? resolveUnknown({ ...turn, credentials }) : submit({ ...turn, credentials });
}

/** The issuer left the configuration and the creation carries no key of its own. */
async function withoutCredentials(turn: CollectionTurn): Promise<Next> {
  const { issuer, unanswered_at } = turn.row;
  if (unanswered_at) {
    if ((await lookUp(turn)).state === 'FOUND') return 'again';
    turn.deps.log.warn({ collectionCreation: turn.row.id }, 'no API key for the issuer of a collection');
    return { afterMs: keylessMs };
  }
  const message = `The gateway has no API key for ${issuer} any more; nothing was sent.`;
  await fail(turn, { code: 'UNAUTHENTICATED', message }, { watchMs: 0, saltFree: true });
  return 'final';
}
