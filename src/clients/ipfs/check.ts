import { withSpan } from '../../observability/trace.ts';
import { callSpan } from '../call-span.ts';
import type { Health } from '../health.ts';
import type { HttpClient } from '../http.ts';

/** A CID that embeds its own, empty content: every gateway can deliver it without a look-up. */
const probe = '/ipfs/bafkqaaa?format=raw';
// A gateway that needs longer for this is not well.
const timeoutMs = 5_000;

/** OK: the preferred gateway answers. DEGRADED: only another one does. DOWN: none does. */
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
