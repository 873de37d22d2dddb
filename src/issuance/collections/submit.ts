import type { Address } from '@srr-gateway/common/address';
import { CommerceRefusal } from '../../clients/commerce/commerce.ts';
import { type Fault, UpstreamError } from '../../model/errors.ts';
import type { StepResult } from '../../store/row-worker.ts';
import { checkpoint } from '../checkpoint.ts';
import { pauseAfter } from '../pause.ts';
import { isProbablyUnread, mayBeAfterCreation } from '../refusal-report.ts';
import { retryUnprocessed } from '../retry-unprocessed.ts';
import { mayStillAppear } from '../subgraph-lag.ts';
import { accept, fail } from './answer.ts';
import type { CollectionContext, IssuerCollectionContext } from './creation.ts';
import { type LookUp, lookUp } from './look-up.ts';
import { markAsNotSent, markAsUnknown, post } from './post.ts';

// Pauses after lost answers: a service that is down comes back in seconds or minutes.
const retryMs = { firstMs: 500, maxMs: 15_000 };

/** PENDING, and no request counts as sent: sends it. */
export async function submit(context: IssuerCollectionContext): Promise<StepResult> {
  const { failureWatch } = context.deps.timeouts;
  try {
    const { address, failure } = await post(context);
    if (failure) await fail(context, failure, { address, watchMs: failureWatch });
    else await accept(context, address);
    checkpoint('answer-recorded', context.row.id);
    return 'again';
  } catch (error) {
    // A refused first request created nothing. But a 500 may come after the creation.
    if (error instanceof CommerceRefusal && error.status < 500) {
      await fail(context, inputFault(error.faults[0]), { watchMs: 0, saltFree: true });
      checkpoint('refusal-recorded', context.row.id);
      return 'again';
    }
    if (error instanceof CommerceRefusal) return handleLostResponse(context, error.faults[0]);
    if (!(error instanceof UpstreamError)) throw error;
    if (error.maybeProcessed) return handleLostResponse(context, error.faults[0], error.retryAfterMs);
    return handleUnprocessed(context, error);
  }
}

/**
 * PENDING and sent without an answer: looks in the subgraph, then sends the same salt again. A salt decides
 * the address and works once, so the response shows whether the lost request succeeded.
 */
export async function resolveUnknown(context: IssuerCollectionContext): Promise<StepResult> {
  const search = await lookUp(context).catch(ignoreSubgraphOutage);
  if (search?.state === 'FOUND') return 'again';
  try {
    const { address, failure } = await post(context);
    if (failure) return await handleInconclusiveRefusal(context, search, failure, address);
    await accept(context, address);
    checkpoint('asked-again', context.row.id);
    return 'again';
  } catch (error) {
    if (error instanceof CommerceRefusal) return handleRefusal(context, search, error);
    if (!(error instanceof UpstreamError)) throw error;
    if (error.maybeProcessed) return handleLostResponse(context, error.faults[0], error.retryAfterMs);
    await markAsNotSent(context, error.faults[0]);
    return retryLater(context, error.retryAfterMs);
  }
}

async function handleRefusal(
  context: CollectionContext,
  search: LookUp | undefined,
  refusal: CommerceRefusal,
): Promise<StepResult> {
  const [fault] = refusal.faults;
  if (mayBeAfterCreation(refusal) && isNewFault(context, fault)) return handleLostResponse(context, fault);
  // A refusal before processing proves nothing about the earlier request.
  if (!isProbablyUnread(refusal)) return handleInconclusiveRefusal(context, search, inputFault(fault));
  await markAsUnknown(context, fault, context.row.unanswered_at);
  return retryLater(context);
}

/**
 * Whether the last request had a fault with another code. This one may have been processed then, so the wait
 * restarts. The same code does not restart it, or a service that always fails would leave the outcome open.
 */
const isNewFault = ({ row: { last_fault } }: CollectionContext, { code }: Fault): boolean =>
  last_fault?.code !== code;

/**
 * A refusal after a lost answer may be caused by the success of the lost request, which used up the salt. It
 * counts when the subgraph is synced far enough past the loss and does not show the collection.
 */
async function handleInconclusiveRefusal(
  context: CollectionContext,
  search: LookUp | undefined,
  fault: Fault,
  address?: Address,
): Promise<StepResult> {
  await markAsUnknown(context, fault, context.row.unanswered_at);
  if (search?.state !== 'MISSING' || mayBeDeployed(context, search.indexedUntil)) return retryLater(context);
  await fail(context, fault, { address, watchMs: context.deps.timeouts.failureWatch });
  checkpoint('refusal-recorded', context.row.id);
  return 'again';
}

/** Whether the collection of the lost request may still appear on chain. */
export function mayBeDeployed({ deps, row }: CollectionContext, indexedUntil: Date | undefined): boolean {
  const lostAt = row.unanswered_at ?? row.last_sent_at ?? row.created_at;
  return mayStillAppear(lostAt, deps.timeouts.reconcileAfter, { now: row.read_at, indexedUntil });
}

/** When the subgraph is down, continue and ask the service. */
function ignoreSubgraphOutage(error: unknown): undefined {
  if (error instanceof UpstreamError && error.upstream === 'SUBGRAPH') return undefined;
  throw error;
}

async function handleLostResponse(
  context: CollectionContext,
  fault: Fault,
  retryAfterMs?: number,
): Promise<StepResult> {
  await markAsUnknown(context, fault);
  return retryLater(context, retryAfterMs);
}

async function handleUnprocessed(context: CollectionContext, error: UpstreamError): Promise<StepResult> {
  const retry = retryUnprocessed(error, context.row.attempts);
  if (retry) await markAsNotSent(context, error.faults[0]);
  else await fail(context, error.faults[0], { watchMs: 0, saltFree: true });
  return retry ?? 'again';
}

function retryLater({ row }: CollectionContext, retryAfterMs?: number): StepResult {
  return { afterMs: pauseAfter(row.attempts, retryMs, retryAfterMs), attempts: row.attempts + 1 };
}

/** Translates a fault's path from the service's request to the mutation's input. */
function inputFault({ path, ...fault }: Fault): Fault {
  return path ? { ...fault, path: path[0] === 'payload' ? ['input', ...path.slice(1)] : path } : fault;
}
