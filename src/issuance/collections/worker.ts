import { sql } from 'kysely';
import { withSpan } from '../../observability/trace.ts';
import { RowWorker, type StepResult } from '../../store/row-worker.ts';
import { checkpoint } from '../checkpoint.ts';
import { missingKeyPauseMs } from '../flow.ts';
import { followPauseWithoutKeyMs } from '../recover/follow.ts';
import { fail } from './answer.ts';
import type { CollectionContext, CollectionDeps } from './creation.ts';
import { follow, watch } from './follow.ts';
import { lookUp } from './look-up.ts';
import { resolveUnknown, submit } from './submit.ts';

/** The worker that takes collection creations from state to state under their leases. */
export const collectionWorker = (deps: CollectionDeps) =>
  new RowWorker({
    ...deps,
    table: 'collection_creation',
    // Steps mostly wait for the service. A busy issuer gets half of them at most.
    concurrency: 8,
    perIssuer: 4,
    // A delivery that needs the subgraph skips the backoff, unless the request is not sent yet: the subgraph cannot
    // have it. A hint from before the claim has had its step.
    hinted: (
      claimed,
    ) => sql`ask_index_at is not null and ask_index_at is distinct from ${claimed.ask_index_at}
      and (status <> 'PENDING' or unanswered_at is not null)`,
    context: ({ id }) => ({ collectionCreation: id }),
    checkpoint,
    step: (leased) => step({ deps, ...leased }),
  });

/** Takes a creation one step further. @throws LeaseLost when another replica has it or it was settled. */
export function step(context: CollectionContext): Promise<StepResult> {
  const { status, issuer, sealed_key, unanswered_at } = context.row;
  return withSpan({ name: `collection ${status}`, kind: 'INTERNAL', attributes: {} }, async () => {
    if (status === 'WAITING_FOR_MINING') return follow(context);
    if (status === 'FAILED') return watch(context);
    if (status !== 'PENDING') return 'final';
    const credentials = context.deps.keys.open(issuer, sealed_key);
    if (!credentials) return withoutCredentials(context);
    return unanswered_at ? resolveUnknown({ ...context, credentials }) : submit({ ...context, credentials });
  });
}

/**
 * The issuer is not in the configuration, and the creation stores no key. Another replica may have loaded the issuer
 * already, as the one that accepted the creation has.
 */
async function withoutCredentials(context: CollectionContext): Promise<StepResult> {
  const { issuer, unanswered_at, created_at, read_at } = context.row;
  if (unanswered_at) {
    if ((await lookUp(context)).state === 'FOUND') return 'again';
    context.deps.log.warn('no API key for the issuer of a collection');
    return { afterMs: followPauseWithoutKeyMs(context.row) };
  }
  // Wait as long as for an unsent issuance.
  if (read_at.getTime() - created_at.getTime() < context.deps.timeouts.filesReady)
    return { afterMs: missingKeyPauseMs };
  const message = `The gateway has no API key for ${issuer} any more; nothing was sent.`;
  await fail(context, { code: 'UNAUTHENTICATED', message }, { watchMs: 0, saltFree: true });
  return 'final';
}
