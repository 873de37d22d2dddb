import { withSpan } from '../../observability/trace.ts';
import { callSpan } from '../call-span.ts';
import type { Health } from '../health.ts';
import type { HttpClient } from '../http.ts';

/** Empty content that its CID holds in itself: every gateway can deliver it without looking for it. */
const probe = '/ipfs/bafkqaaa?format=raw';
// A health check that takes longer than this tells that the gateway is not well.
const timeoutMs = 5_000;

/** OK: the preferred gateway answers. DEGRADED: only another one. DOWN: none. */
export async function check(
  http: HttpClient,
  bases: readonly string[],
  signal?: AbortSignal,
): Promise<Health> {
  const answers = await Promise.all(bases.map((base) => isWell(http, base, signal)));
  signal?.throwIfAborted();
  if (answers.every(Boolean)) return { health: 'OK' };
  const silent = bases.filter((_, i) => !answers[i]).map((base) => new URL(base).host);
  if (answers.some(Boolean))
    return {
      health: answers[0] ? 'OK' : 'DEGRADED',
      message: `${silent.join(', ')} does not deliver content as a trustless gateway does.`,
    };
  return { health: 'DOWN', message: `No gateway delivers content: ${silent.join(', ')}.` };
}

async function isWell(http: HttpClient, base: string, signal?: AbortSignal): Promise<boolean> {
  try {
    const answer = await withSpan(callSpan({ upstream: 'IPFS', host: new URL(base).host }), () =>
      http.send({
        method: 'GET',
        url: `${base}${probe}`,
        headers: { accept: 'application/vnd.ipld.raw' },
        timeoutMs,
        maxBytes: 1_024,
        signal,
      }),
    );
    return answer.status === 200 && answer.body.length === 0;
  } catch {
    return false;
  }
}
