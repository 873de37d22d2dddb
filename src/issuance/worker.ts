import { sql } from 'kysely';
import { withSpan } from '../observability/trace.ts';
import { RowWorker, type StepResult } from '../store/row-worker.ts';
import type { IssuanceStatus } from '../store/tables.ts';
import { checkpoint } from './checkpoint.ts';
import { rejectUnsent } from './end-unsent.ts';
import { timeLeft, waitForFiles } from './files/wait-for-files.ts';
import {
  type FlowDeps,
  type IssuerStepContext,
  isFinal,
  missingKeyPauseMs,
  type StepContext,
} from './flow.ts';
import { follow, followAccepted, followPauseWithoutKeyMs } from './recover/follow.ts';
import { resolveUnknown, resolveWithoutKey } from './recover/resolve-unknown.ts';
import { submit } from './submit/submit.ts';

/** The worker that takes issuances from state to state under their leases. */
export const issuanceWorker = (deps: FlowDeps) =>
  new RowWorker({
    ...deps,
    table: 'issuance',
    // Steps mostly wait for the service. A busy issuer leaves four of them to the others.
    concurrency: 16,
    perIssuer: 12,
    // A delivery may request a query of the subgraph while a step runs that cannot know of it.
    hinted: ({ ask_index_at: known }) => sql`ask_index_at is distinct from ${known}`,
    context: ({ id }) => ({ issuanceId: id }),
    checkpoint,
    step: async ({ row: issuance, owner, signal }) =>
      isFinal(issuance.status) ? 'final' : step({ deps, issuance, owner, signal }),
  });

/** The steps that call the service as the issuer. */
const asking: Partial<Record<IssuanceStatus, (context: IssuerStepContext) => Promise<StepResult>>> = {
  WAITING_FOR_FILES: waitForFiles,
  SUBMITTING: submit,
  OUTCOME_UNKNOWN: resolveUnknown,
};

/** Takes an issuance one step further. @throws LeaseLost when another replica has it or it was settled. */
export function step(context: StepContext): Promise<StepResult> {
  const { status, attempts, issuer, sealed_key } = context.issuance;
  // The worker's context id puts all steps of an issuance into one trace.
  const span = {
    name: `issuance ${status}`,
    kind: 'INTERNAL',
    attributes: { 'srr.issuance.status': status, 'srr.issuance.attempts': attempts },
  } as const;
  return withSpan(span, async () => {
    const ask = asking[status];
    // The subgraph needs no key, so accepted records are followed even without one.
    if (!ask) return follow(context);
    const credentials = context.deps.keys.open(issuer, sealed_key);
    if (!credentials) return withoutCredentials(context);
    // The step may be retried for hours. Accepted entries must not wait for it.
    if (attempts > 0 && status !== 'WAITING_FOR_FILES') await followAccepted(context);
    return ask({ ...context, credentials });
  });
}

/**
 * The issuer is not in the configuration, and the issuance stores no key. Another replica may have loaded the issuer
 * already, as the one that accepted the issuance has.
 */
async function withoutCredentials(context: StepContext): Promise<StepResult> {
  const { deps, issuance } = context;
  if (issuance.status !== 'WAITING_FOR_FILES') {
    if (await resolveWithoutKey(context)) return 'again';
    deps.log.warn('no API key for the issuer of a running issuance');
    return { afterMs: followPauseWithoutKeyMs(issuance) };
  }
  if (timeLeft(context) > 0) return { afterMs: missingKeyPauseMs };
  const message = `The gateway has no API key for ${issuance.issuer} any more; nothing was sent.`;
  await rejectUnsent(context, { code: 'UNAUTHENTICATED', message }, 'no API key for its issuer');
  return 'final';
}
