import { BlockList } from 'node:net';
import { redact } from '@srr-gateway/common/redact';
import { Webhook } from 'standardwebhooks';
import { excerpt, retryAfterMs } from '../clients/failure.ts';
import { HttpFailure } from '../clients/http.ts';
import { AddressRefused, createSsrfSafeHttpClient, type Resolve } from '../clients/ssrf-safe-http.ts';
import type { WebhookConfig } from '../config/config.ts';
import { jsonbSafe } from '../lib/jsonb-safe.ts';
import type { WebhookAttempt } from '../model/webhook.ts';
import { publish } from '../observability/telemetry.ts';
import { setOutcome, withSpan } from '../observability/trace.ts';
import { type AttemptOutcome, outcomeOf } from './schedule.ts';

/** A message, which is the same for each attempt. Only the timestamp and the signatures differ. */
export interface Message {
  id: string;
  body: string;
}

/** One attempt, and what it means. */
export interface SendResult {
  attempt: WebhookAttempt;
  outcome: AttemptOutcome;
  retryAfterMs: number | undefined;
}

/**
 * An answer needs only a status, and only its beginning is stored. More than this would be read into memory for
 * nothing.
 */
const maxAnswerBytes = 64_000;
/**
 * Connections to one host, where a platform may receive for many partners: as many as the worker has slots, and some
 * for tests and challenges, so that one that hangs does not delay the others.
 */
const connections = 80;

/** Sends signed deliveries to addresses that partners chose. */
export class Sender {
  readonly #client: ReturnType<typeof createSsrfSafeHttpClient>;
  readonly #timeoutMs: number;

  constructor({ privateNetworks, timeoutMs }: WebhookConfig, resolve?: Resolve) {
    const allowed = new BlockList();
    for (const { address, prefix, family } of privateNetworks) allowed.addSubnet(address, prefix, family);
    this.#client = createSsrfSafeHttpClient({
      connections,
      configured: [],
      allowed,
      httpsOnly: true,
      ...(resolve && { resolve }),
    });
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends a message once. Never throws for what the address does: that is the attempt's result.
   * @throws when `signal` is aborted.
   */
  async send(
    url: string,
    secrets: readonly string[],
    { id, body }: Message,
    signal?: AbortSignal,
  ): Promise<SendResult> {
    const at = new Date();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'srr-gateway',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
    };
    // Only the host: a path or a query string may hold a key.
    const attributes = { 'server.address': new URL(url).hostname };
    const sent = await withSpan({ name: 'webhook delivery', kind: 'CLIENT', attributes }, async () => {
      const result = await this.#attempt({ url, headers, body }, at, signal);
      setOutcome(result.outcome === 'ACCEPTED' ? 'ok' : result.outcome);
      return result;
    });
    publish('webhookDelivery', { outcome: sent.outcome });
    return sent;
  }

  async #attempt(
    request: { url: string; headers: Record<string, string>; body: string },
    at: Date,
    signal: AbortSignal | undefined,
  ): Promise<SendResult> {
    const startedAt = performance.now();
    const result = (rest: Pick<WebhookAttempt, 'status' | 'excerpt' | 'error'>): WebhookAttempt => ({
      at: at.toISOString(),
      durationMs: Math.round(performance.now() - startedAt),
      ...rest,
    });
    try {
      const { status, headers, body } = await this.#client.send({
        method: 'POST',
        ...request,
        timeoutMs: this.#timeoutMs,
        maxBytes: maxAnswerBytes,
        acceptsUnreadable: true,
        signal,
      });
      const text = jsonbSafe(redact(excerpt(body))) as string;
      return {
        attempt: result({ status, excerpt: text || null, error: null }),
        outcome: outcomeOf(status),
        retryAfterMs: retryAfterMs(headers),
      };
    } catch (error) {
      if (!(error instanceof HttpFailure) || error.kind === 'ABORTED') throw error;
      return {
        attempt: result({ status: null, excerpt: null, error: this.#reasonOf(error) }),
        outcome: 'UNANSWERED',
        retryAfterMs: undefined,
      };
    }
  }

  /** Does not quote the network's error, which may contain the address with its query string. */
  #reasonOf({ kind, cause }: HttpFailure): string {
    if (cause instanceof AddressRefused) return `${cause.message}.`;
    const code = (cause as { code?: unknown } | undefined)?.code;
    const detail = typeof code === 'string' && /^[A-Z_0-9]{1,60}$/.test(code) ? ` (${code})` : '';
    return {
      UNREACHABLE: `It cannot be reached${detail}.`,
      BROKEN: `It broke off the connection${detail}.`,
      TIMEOUT: `It did not answer within ${this.#timeoutMs / 1000} s.`,
      TOO_LARGE: `Its answer is longer than ${maxAnswerBytes} bytes. A status is enough.`,
      ABORTED: 'The gateway stopped meanwhile.',
    }[kind];
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
