import { backoff, sleep } from '@srr-gateway/common/time';
import { UpstreamError } from '../../model/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { type RetryPolicy, SubgraphError } from './failure.ts';
import type { QueryResult, RunQuery, SubgraphQuery, WithMeta } from './query.ts';
import type { At } from './records.ts';

// Three rounds with pauses outlast the restart of a subgraph node.
const rounds = 3;
const pause = { firstMs: 150, maxMs: 2_000 };
// Blocks come every few seconds; asking twice a second costs the subgraph next to nothing.
const blockPollMs = 500;

/**
 * Creates the step that queries the endpoints in order and retries each by its `RetryPolicy`. It waits up to
 * `blockWaitMs` for a block that no endpoint has yet, and throws the most specific failure, or the signal's reason.
 */
export const createFailover =
  (endpoints: readonly Endpoint[], blockWaitMs: number): RunQuery =>
  (query, at) =>
    runInRounds(endpoints, blockWaitMs, query, at);

async function runInRounds<D extends WithMeta>(
  endpoints: readonly Endpoint[],
  blockWaitMs: number,
  query: SubgraphQuery<D>,
  at: At,
): Promise<QueryResult<D>> {
  const started = performance.now();
  const failures = new Map<Endpoint, UpstreamError>();
  let asked = endpoints;
  for (let round = 0; ; round++) {
    for (const endpoint of inOrder(asked)) {
      try {
        return await endpoint.runQuery(query, at);
      } catch (error) {
        if (!(error instanceof UpstreamError) || retryPolicyOf(error) === 'none') throw error;
        failures.set(endpoint, error);
      }
    }
    const waitedMs = performance.now() - started;
    const pauseFor = (endpoint: Endpoint) =>
      remainingPause(failures.get(endpoint) as UpstreamError, round, blockWaitMs - waitedMs);
    asked = asked.filter((endpoint) => pauseFor(endpoint) > 0);
    if (asked.length === 0) throw mostSpecific([...failures.values()]);
    await sleep(Math.max(...asked.map(pauseFor)), at.signal).catch(() => at.signal?.throwIfAborted());
  }
}

/** In the configured order, but an endpoint on trial last, so that no caller waits for it if another can answer. */
const inOrder = (endpoints: readonly Endpoint[]) =>
  endpoints.toSorted((a, b) => Number(a.isOnTrial()) - Number(b.isOnTrial()));

/** An endpoint whose breaker is open counts as down. */
const retryPolicyOf = (error: UpstreamError): RetryPolicy =>
  error instanceof SubgraphError ? error.retryPolicy : 'failover-once';

/** Prefers the failure of an endpoint that answered, which tells more than another's silence. */
function mostSpecific(failures: UpstreamError[]): UpstreamError {
  const order: RetryPolicy[] = ['wait-for-block', 'failover', 'failover-once'];
  const answered = failures.filter((error) => error instanceof SubgraphError && !error.unhealthy);
  const candidates = answered.length > 0 ? answered : failures;
  return candidates.toSorted(
    (a, b) => order.indexOf(retryPolicyOf(a)) - order.indexOf(retryPolicyOf(b)),
  )[0] as UpstreamError;
}

/** How long to wait before the endpoint is asked again; 0 when it is not. */
function remainingPause(failure: UpstreamError, round: number, blockWaitMs: number): number {
  const policy = retryPolicyOf(failure);
  if (policy === 'wait-for-block') return blockPollMs <= blockWaitMs ? blockPollMs : 0;
  if (policy !== 'failover' || round + 1 >= rounds) return 0;
  const retryAfter = failure.retryAfterMs ?? 0;
  return retryAfter > pause.maxMs ? 0 : Math.max(retryAfter, backoff(round, pause));
}
