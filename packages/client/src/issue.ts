import { errorOf, hasUnknownOutcome, isTransient, throwIfRefused } from './errors.ts';
import { GatewayError } from './gateway-error.ts';
import { findIssuance, issuanceEntries, issueSRRs, watchIssuance } from './generated/operations.ts';
import type {
  Batching,
  IssuanceEntriesQuery,
  IssuanceStateFragment,
  IssuedEntryFragment,
  IssueEntryInput,
  IssueSRRsMutation,
  WatchIssuanceSubscription,
} from './generated/types.ts';
import { type Operation, type Result, resultOf } from './http.ts';
import { pause, Retries, type RetryOptions, retrying } from './retry.ts';
import type { Subscribe } from './sse.ts';

/** The state of an issuance. */
export type IssuanceState = IssuanceStateFragment;

/** A final issuance with all its entries. */
export type FinalIssuance = IssuanceStateFragment & { entries: IssuedEntryFragment[] };

/** Options of `issue`. */
export interface IssueOptions extends RetryOptions {
  /**
   * Idempotency key. Make it before the first attempt and store it: the same key with the same entries is the
   * same issuance.
   */
  requestId: string;
  batching?: Batching | undefined;
}

/** An issuance in progress. The gateway continues it even if the page or the process ends. */
export interface Issuing {
  readonly requestId: string;
  /** Resolves when the gateway has stored the issuance; rejects when it was refused. */
  readonly stored: Promise<IssuanceState>;
  /** The current state, then each change, until the issuance is final and the subgraph has its records. */
  readonly status: AsyncIterable<IssuanceState>;
  /** Resolves with the final issuance, whatever its outcome: check its status and those of its entries. */
  readonly done: Promise<FinalIssuance>;
}

/** The issuance has ended, and not all its records were issued. */
export class NotIssuedError extends GatewayError<'NOT_ISSUED'> {
  readonly issuance: FinalIssuance;

  constructor(issuance: FinalIssuance) {
    const faults = issuance.entries.filter(({ status }) => status !== 'ISSUED');
    const first = issuance.error ?? faults.find(({ error }) => error)?.error;
    const message = `${faults.length} of ${issuance.entries.length} records were not issued (${issuance.status}). ${first?.message ?? ''}`;
    super({ code: 'NOT_ISSUED', message: message.trim() });
    this.issuance = issuance;
  }
}

/** The functions of the client that issuing uses. */
export interface IssueDeps {
  execute(operation: Operation, signal?: AbortSignal): Promise<Result<unknown>>;
  subscribe: Subscribe;
}

const final = new Set(['COMPLETED', 'REJECTED', 'CANCELLED']);

/** Sends the records, with retries, and follows the issuance. */
export function issue(
  deps: IssueDeps,
  entries: readonly IssueEntryInput[],
  { requestId, batching, ...options }: IssueOptions,
): Issuing {
  const input = { requestId, entries, batching };
  const stored = retrying(
    hasUnknownOutcome,
    async () => {
      // Without one, the gateway would make a requestId for each attempt, and issue the records again.
      if (typeof requestId !== 'string') throw new TypeError('issue needs a `requestId`, a string.');
      const { data, requestId: request } = await deps.execute(
        { query: issueSRRs, variables: { input } },
        options.signal,
      );
      const { issuance, userErrors } = (data as IssueSRRsMutation).issueSRRs;
      throwIfRefused(userErrors, request);
      return issuance as IssuanceState;
    },
    options,
  );
  return issuingOf(deps, requestId, stored, options);
}

/** Follows an issuance that was sent before, perhaps by another process. */
export function resume(
  deps: IssueDeps,
  key: { id: string } | { requestId: string },
  options: RetryOptions,
): Issuing {
  const stored = retrying(
    isTransient,
    async () => {
      const { data, errors, requestId } = await deps.execute(
        { query: findIssuance, variables: key },
        options.signal,
      );
      const { issuance } = data as { issuance: IssuanceState | null };
      if (issuance) return issuance;
      const message = `This issuer has no issuance ${JSON.stringify(key)}.`;
      throw errors[0] ?? errorOf({ code: 'NOT_FOUND', message }, { requestId });
    },
    options,
  );
  return issuingOf(deps, (key as { requestId?: string } | undefined)?.requestId ?? '', stored, options);
}

function issuingOf(
  deps: IssueDeps,
  requestId: string,
  stored: Promise<IssuanceState>,
  options: RetryOptions,
): Issuing {
  // `status` and `done` report this error too, so it must not be an unhandled rejection here.
  stored.catch(() => {});
  let done: Promise<FinalIssuance> | undefined;
  const end = async () => {
    let state = await stored;
    for await (state of states(deps, state.id, options));
    return await withEntries(deps, state.id, options);
  };
  return {
    requestId,
    stored,
    status: {
      async *[Symbol.asyncIterator]() {
        yield* states(deps, (await stored).id, options);
      },
    },
    get done() {
      done ??= end();
      return done;
    },
  };
}

/**
 * Yields the states of an issuance. After a lost connection it subscribes again: a subscription begins with the
 * current state.
 */
async function* states(
  { subscribe }: IssueDeps,
  id: string,
  options: RetryOptions,
): AsyncGenerator<IssuanceState> {
  const signal = options.signal ?? new AbortController().signal;
  const retries = new Retries(options);
  let lastYielded = '';
  let ended = false;
  while (!ended) {
    try {
      for await (const raw of subscribe({ query: watchIssuance, variables: { id } }, signal)) {
        const { issuance } = resultOf(raw).data as WatchIssuanceSubscription;
        retries.succeeded();
        ended = final.has(issuance.status);
        const text = JSON.stringify(issuance);
        if (text !== lastYielded) yield issuance;
        lastYielded = text;
      }
      // The stream was completed before the issuance was final: subscribe again.
      if (!ended) await pause(250, signal);
    } catch (error) {
      if (!hasUnknownOutcome(error)) throw error;
      // The last state shows that the subgraph has the records. If the connection broke before it, subscribe
      // again although the status is final.
      ended = false;
      await retries.wait(error);
    }
  }
}

async function withEntries(deps: IssueDeps, id: string, options: RetryOptions): Promise<FinalIssuance> {
  const entries: IssuedEntryFragment[] = [];
  for (let after: string | null | undefined; ; ) {
    const variables = { id, after };
    const { data, errors } = await retrying(
      isTransient,
      () => deps.execute({ query: issuanceEntries, variables }, options.signal),
      options,
    );
    const { issuance } = data as IssuanceEntriesQuery;
    if (!issuance?.entries.edges) throw errors[0] ?? new Error(`the issuance ${id} has no entries`);
    const { entries: page, ...state } = issuance;
    entries.push(...issuance.entries.edges.flatMap((edge) => edge?.node ?? []));
    if (!page.pageInfo.hasNextPage) return { ...state, entries };
    after = page.pageInfo.endCursor;
  }
}
