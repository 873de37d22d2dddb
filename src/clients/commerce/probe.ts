import { randomUUID } from 'node:crypto';
import { withSpan } from '../../observability/trace.ts';
import { callSpan } from '../call-span.ts';
import { fromStatus } from '../failure.ts';
import type { Health } from '../health.ts';
import { type CallContext, post, saidIn } from './call.ts';
import type { Credentials } from './wire.ts';

// A health check that takes longer than this tells that the service is not well.
const checkTimeoutMs = 5_000;

/** Asks about a file that cannot exist: any answer but 401 shows that the key was accepted. */
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

/** A call without credentials does nothing, and a service that is well says that they are missing. */
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
