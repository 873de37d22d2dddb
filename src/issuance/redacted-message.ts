import { redact } from '@srr-gateway/common/redact';
import { jsonbSafe } from '../lib/jsonb-safe.ts';

/** Characters stored of a message of the service: enough for a few sentences. */
const maxLength = 500;

/** The service's message, redacted and truncated; undefined without a message. */
export function redactedMessage(message: string | undefined): string | undefined {
  return message ? (jsonbSafe(redact(message).slice(0, maxLength)) as string) : undefined;
}
