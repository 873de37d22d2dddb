import { randomUUID } from 'node:crypto';
import { withSpan } from '../../observability/trace.ts';
import { callSpan } from '../call-span.ts';
import { fromStatus } from '../failure.ts';
import type { Health } from '../health.ts';
import { type CallContext, post, saidIn } from './call.ts';
import type { Credentials } from './wire.ts';

// A service that needs longer for this is not well.
const checkTimeoutMs = 5_000;

/**
 * Checks a key by asking for a file that cannot exist. 401 means refused; 200, 400 and 404 mean accepted.
 * @throws UpstreamError on any other status, which proves neither.
 */
export async function verify(
  context: CallContext,
  options: { credentials: Credentials; timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const payload = [{ filename: `no-such-file-${randomUUID()}.none`, category: 'non_attachment_file' }];
  const answer = await post(context, { path: 'fileMetadata', body: { payload }, ...options });
  if (answer.status === 401) return false;
  if ([200, 400, 404].includes(answer.status)) return true;
  throw fromStatus('COMMERCE', answer);
}

/** Calls without credentials: that does nothing, and a healthy service answers that a header is missing. */
export async function check(context: CallContext, signal?: AbortSignal): Promise<Health> {
  try {
    const body = { payload: [] };
    const answer = await withSpan(
      callSpan({ upstream: 'COMMERCE', host: new URL(context.baseUrl).host }),
      () => post(context, { path: 'fileMetadata', body, timeoutMs: checkTimeoutMs, signal }),
    );
    const said = saidIn(answer);
    if (answer.status === 401 && said?.kind === 'texts' && said.texts[0]?.startsWith('Missing header'))
      return { health: 'OK' };
    return {
      health: answer.status >= 500 ? 'DOWN' : 'DEGRADED',
      message: `It answered a call without credentials with HTTP status ${answer.status}, not as documented.`,
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { health: 'DOWN', message: (error as Error).message };
  }
}
