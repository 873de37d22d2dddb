import type { Address } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import type { z } from 'zod';
import { type GatewayError, UpstreamError } from '../../model/errors.ts';
import { excerpt, fromHttpFailure, fromStatus, isVerdict } from '../failure.ts';
import type { HttpAnswer, HttpClient } from '../http.ts';
import type { Resilience } from '../resilience.ts';
import type { Payload } from './read-message.ts';
import { type ParsedRefusal, readRefusal, refusalAnswer } from './refusal.ts';

/** Credentials for the service: the issuer's wallet address and its API key (a secret). */
export type Credentials = { issuer: Address; apiKey: string };

/** Prefix of all commerce paths. */
const prefix = '/port/api/v1/commerce';

// A response has well under 4 KB an entry, so there is room for tens of thousands of entries.
const maxAnswerBytes = 64 * 1024 * 1024;

/** Shared state of all calls of one client. */
export interface CallContext {
  baseUrl: string;
  http: HttpClient;
  log: Logger;
  /** One circuit breaker for all issuers. */
  resilience: Resilience;
  /**
   * In milliseconds. `read`: signed URLs and file states. `issue`: issuing, which takes long because the
   * service publishes files first.
   */
  timeouts: { read: number; issue: number };
}

/** One call of the commerce API. */
export interface Call {
  path: 'signedUrls' | 'fileMetadata' | 'srrs' | 'collection';
  /** Absent only in the health check. */
  credentials?: Credentials;
  body: unknown;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Whether a call changes something at the service. All but issuing and deploying only read. */
const hasEffect = ({ path }: Call) => path === 'srrs' || path === 'collection';

/**
 * Sends one call and returns its answer, whatever its status.
 * @throws UpstreamError when no complete answer came. When `signal` aborts, throws its reason, except after
 * the start of a call with an effect: then an UpstreamError, so that the caller gets `maybeProcessed`.
 */
export async function post(context: CallContext, call: Call): Promise<HttpAnswer> {
  const { path, credentials, timeoutMs, signal } = call;
  try {
    const answer = await context.http.send({
      method: 'POST',
      url: `${context.baseUrl}${prefix}/${path}`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(credentials && { 'commerce-api-key': credentials.apiKey, 'issuer-address': credentials.issuer }),
      },
      body: JSON.stringify(call.body),
      timeoutMs,
      maxBytes: maxAnswerBytes,
      signal,
    });
    // An error answer, or a proxy's page, may quote the request. Its key must not reach a caller or a log.
    return answer.status < 300 ? answer : { ...answer, body: withoutKey(answer.body, call) };
  } catch (error) {
    throw fromHttpFailure('COMMERCE', error, { effect: hasEffect(call) });
  }
}

function withoutKey(body: Buffer, { credentials }: Call): Buffer {
  if (!credentials || !body.includes(credentials.apiKey)) return body;
  return Buffer.from(body.toString().replaceAll(credentials.apiKey, '[secret]'));
}

/**
 * Parses the answer of a successful call.
 * @throws CommerceRefusal when the service refused the call; UpstreamError when the answer has an unknown
 * form.
 */
export function parseAnswer<T>(
  context: CallContext,
  call: Call,
  answer: HttpAnswer,
  shape: z.ZodType<T>,
  payload: Payload = [],
): T {
  if (answer.status < 200 || answer.status > 299) throw refusalOf(context, call, answer, payload);
  const parsed = shape.safeParse(parseJson(answer.body));
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw badResponse(context, call, answer, where.join('; '));
}

/** The content of an error answer; undefined when its form is unknown. */
export function parseRefusal(answer: HttpAnswer): ParsedRefusal | undefined {
  const parsed = refusalAnswer.safeParse(parseJson(answer.body));
  return parsed.success ? parsed.data : undefined;
}

function refusalOf(context: CallContext, call: Call, answer: HttpAnswer, payload: Payload): GatewayError {
  const { status } = answer;
  const parsed = parseRefusal(answer);
  const text = parsed?.kind === 'texts' ? parsed.texts.join('; ') : undefined;
  const refusal =
    parsed && (isVerdict(status) || status >= 500)
      ? readRefusal(parsed, status, payload, call.credentials?.issuer)
      : undefined;
  // A read may be retried after any 5xx.
  if (refusal && status >= 500 && !hasEffect(call))
    return fromStatus('COMMERCE', answer, text, { cause: refusal });
  if (refusal) return refusal;
  logExcerpt(context, call, answer, 'not a documented answer');
  return fromStatus('COMMERCE', answer, text);
}

/** The error for an answer that the API document does not describe. The request may have been processed. */
export function badResponse(
  context: CallContext,
  call: Call,
  answer: HttpAnswer,
  why: string,
): UpstreamError {
  logExcerpt(context, call, answer, why);
  return new UpstreamError(
    {
      code: 'UPSTREAM_BAD_RESPONSE',
      message: `The issuance service answered ${call.path} in an undocumented form. Report it to the gateway’s operator; its log has an excerpt.`,
    },
    { upstream: 'COMMERCE', maybeProcessed: true, status: answer.status },
  );
}

function logExcerpt({ log }: CallContext, call: Call, answer: HttpAnswer, why: string): void {
  // The query of a signed URL contains its signature, a secret. Some write its & as \u0026.
  const redacted = excerpt(withoutKey(answer.body, call)).replace(/\?[^\s"']*/g, '?…');
  log.warn(
    { upstream: 'COMMERCE', path: call.path, status: answer.status, why, excerpt: redacted },
    'answer not understood',
  );
}

/** Undefined for invalid JSON. The decoder drops a byte order mark, which some servers send. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
