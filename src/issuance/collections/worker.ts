import { sql } from 'kysely';
import { withSpan } from '../../observability/trace.ts';
import { RowWorker, type StepResult } from '../../store/row-worker.ts';
import { checkpoint } from '../checkpoint.ts';
import { keylessMs } from '../flow.ts';
import { keylessPauseMs } from '../recover/follow.ts';
import { fail } from './answer.ts';
import type { CollectionContext, CollectionDeps } from './creation.ts';
import { follow, watch } from './follow.ts';
import { lookUp } from './look-up.ts';
import { resolveUnknown, submit } from './submit.ts';

/** Worker that moves each creation of a collection from state to state while it holds its lease. */
export const collectionWorker = (deps: CollectionDeps) =>
  new RowWorker({
    ...deps,
    table: 'collection_creation',
    // Steps mostly wait for the service. One busy issuer leaves half of them to the others.
    concurrency: 8,
    perIssuer: 4,
    // When a delivery wants the subgraph asked, do not wait for the backoff. Before the request is sent the
    // subgraph has nothing to show. A hint from before the claim has had its step.
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
 * The issuer is not in the configuration, and the creation stores no key of its own. Another replica may have it already:
 * one that took the creation has.
 */
async function withoutCredentials(context: CollectionContext): Promise<StepResult> {
  const { issuer, unanswered_at, created_at, read_at } = context.row;
  if (unanswered_at) {
    if ((await lookUp(context)).state === 'FOUND') return 'again';
    context.deps.log.warn('no API key for the issuer of a collection');
    return { afterMs: keylessPauseMs(context.row) };
  }
  // As long as an issuance that is not sent yet.
  if (read_at.getTime() - created_at.getTime() < context.deps.timeouts.filesReady)
    return { afterMs: keylessMs };
  const message = `The gateway has no API key for ${issuer} any more; nothing was sent.`;
  await fail(context, { code: 'UNAUTHENTICATED', message }, { watchMs: 0, saltFree: true });
  return 'final';
}
