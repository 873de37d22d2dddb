import type { Health } from '../health.ts';
import type { Endpoint } from './endpoint.ts';
import { metaQuestion } from './question.ts';

/** Health of the first endpoint that answers; DEGRADED when that is not the first, or it skipped errors. */
export async function check(endpoints: readonly Endpoint[], signal?: AbortSignal): Promise<Health> {
  const silent: string[] = [];
  for (const endpoint of endpoints) {
    try {
      const { block, data } = await endpoint.ask(metaQuestion, { signal });
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
    } catch {
      signal?.throwIfAborted();
      silent.push(endpoint.host);
    }
  }
  return { health: 'DOWN', message: `No endpoint answers: ${silent.join(', ')}.` };
}

const lagOf = (timestamp: number) => Math.max(0, Math.round(Date.now() / 1000 - timestamp));
