import { type Health, probeTimeoutMs } from '../health.ts';
import type { Endpoint } from './endpoint.ts';
import { metaQuery } from './query.ts';

/** Health of the first endpoint that answers; DEGRADED when that is not the first, or it skipped errors. */
export async function check(endpoints: readonly Endpoint[], callerSignal?: AbortSignal): Promise<Health> {
  const deadline = AbortSignal.timeout(probeTimeoutMs);
  const signal = callerSignal ? AbortSignal.any([callerSignal, deadline]) : deadline;
  // In parallel, so that one that hangs does not use up the time of the others.
  const answers = endpoints.map(({ runQuery }) => runQuery(metaQuery, { signal }).catch(() => undefined));
  const silent: string[] = [];
  for (const [i, { host }] of endpoints.entries()) {
    const answer = await answers[i];
    callerSignal?.throwIfAborted();
    if (!answer) {
      silent.push(host);
      continue;
    }
    const { block, data } = answer;
    const hasIndexingErrors = data._meta?.hasIndexingErrors ?? false;
    const notes = silent.map((host) => `${host} does not answer.`);
    if (hasIndexingErrors) notes.push('The subgraph skipped indexing errors: its data may be incomplete.');
    return {
      health: notes.length > 0 ? 'DEGRADED' : 'OK',
      ...(notes.length > 0 && { message: notes.join(' ') }),
      block: block.number,
      ...(block.timestamp !== undefined && { lagSeconds: lagOf(block.timestamp) }),
      hasIndexingErrors,
    };
  }
  return { health: 'DOWN', message: `No endpoint answers: ${silent.join(', ')}.` };
}

const lagOf = (timestamp: number) => Math.max(0, Math.round(Date.now() / 1000 - timestamp));
