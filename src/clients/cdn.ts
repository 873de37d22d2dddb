import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { reasonOf } from '@srr-gateway/common/start-error';
import { backoff, sleep } from '@srr-gateway/common/time';
import { startInterval } from '../lib/interval.ts';
import { publish } from '../observability/telemetry.ts';
import { retryAfterMs } from './failure.ts';
import { createHttpClient } from './http.ts';

/** Settings of the CDN purges. */
export interface CdnOptions {
  /** Where a purge is sent. Only its host is logged, as the rest may hold a key. */
  url: string;
  /** Credentials, and other headers that the CDN needs. */
  headers: Readonly<Record<string, string>>;
  /** Hash of the newest block; undefined while it is not known. A call makes the subgraph's client poll for it. */
  newest(): string | undefined;
  log: Logger;
}

/**
 * Blocks within this time share a purge. All replicas share the CDN's rate limit, of 5 requests a second or more at
 * Cloudflare.
 */
const intervalMs = 1_000;
/** A purge is a small request. One that takes longer has failed, and the next one repeats its tags. */
const timeoutMs = 5_000;
/** A CDN that is down or refuses the credentials is called twice a minute at most. */
const pause = { firstMs: 1_000, maxMs: 30_000 };
/** Beyond this many tags everything is purged. Fastly takes 256 in a request, Cloudflare 100, some plans 30. */
const maxTags = 30;
/** Only the status counts. */
const maxAnswerBytes = 64_000;

/** The tag of every answer, for purges by hand and by a new process, which does not know what was sent before. */
const everything = 'srr';

/**
 * By hash, because after a reorganisation the number is another block's. Sanitized, because the subgraph's text goes
 * into a header.
 */
const tagOf = (block: string) => `srr-block-${block.replaceAll(/[^0-9a-z]/gi, '').slice(-12)}`;

export type Cdn = ReturnType<typeof createCdn>;

/** Connects the gateway to the CDN in front of it, whose cache it purges. */
export function createCdn({ url, headers, newest, log }: CdnOptions) {
  const { host } = new URL(url);
  const outage = new OutageLog(
    log,
    `CDN_PURGE_URL: ${host} takes no purges, so old answers stay in the CDN until they expire; trying again`,
  );
  const http = createHttpClient({ connections: 1 });
  /** Tags of answers sent since their last purge. */
  const sent = new Set<string>();
  /**
   * Tags that the next purge repeats: everything after a start; later those of the last purge, because old answers
   * may have been in flight; after a failure all that failed.
   */
  let again = [everything];
  let failures = 0;

  const stale = () => {
    // The call keeps the subgraph's client polling, even while the CDN answers all requests itself.
    const block = sent.size > 0 ? newest() : undefined;
    return block === undefined ? [] : [...sent].filter((tag) => tag !== tagOf(block));
  };
  const purge = async (tags: readonly string[], signal: AbortSignal) => {
    const { status, headers: answered } = await http.send({
      method: 'POST',
      url,
      // Fastly reads the header, Cloudflare the body.
      headers: { 'content-type': 'application/json', 'surrogate-key': tags.join(' '), ...headers },
      body: JSON.stringify({ tags }),
      timeoutMs,
      maxBytes: maxAnswerBytes,
      signal,
    });
    if (status >= 200 && status < 300) return;
    throw Object.assign(new Error(`it answered ${status}`), { retryAfterMs: retryAfterMs(answered) });
  };
  // One purge at a time, with all tags that are stale by then.
  const watch = startInterval(intervalMs, async (signal) => {
    const gone = stale();
    if (gone.length === 0 && failures === 0) return;
    const named = [...new Set([...gone, ...again])];
    const tags = named.length > maxTags ? [everything] : named;
    // Before the call, so that an old answer sent during the call is purged by the next.
    for (const tag of gone) sent.delete(tag);
    try {
      await purge(tags, signal);
      publish('cdnPurge', { outcome: 'ok' });
      outage.succeeded();
      again = gone;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      publish('cdnPurge', { outcome: 'failed' });
      // Log only the message: a network error may have the request, with its headers, as a property.
      outage.failed(new Error(reasonOf(error)));
      again = tags;
      const retryAfter = (error as { retryAfterMs?: number }).retryAfterMs ?? 0;
      await sleep(Math.min(pause.maxMs, Math.max(retryAfter, backoff(failures++, pause))), signal).catch(
        () => {},
      );
    }
  });

  return {
    /**
     * The tag headers of an answer that is being sent: alternating names and values. Once a newer block is seen, the
     * gateway purges the answer. `block` is the hash of the newest block; undefined for an answer that no block
     * changes.
     */
    tagsOf(block: string | undefined): readonly string[] {
      if (block === undefined) return ['surrogate-key', everything, 'cache-tag', everything];
      const tag = tagOf(block);
      sent.add(tag);
      return ['surrogate-key', `${everything} ${tag}`, 'cache-tag', `${everything},${tag}`];
    },
    async close() {
      await watch.stop();
      await http.close();
    },
  };
}
