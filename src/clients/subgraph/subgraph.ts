import type { Logger } from '@srr-gateway/common/log';
import { createHttpClient } from '../http.ts';
import { AnswerCache } from './answer-cache.ts';
import { check } from './check.ts';
import { childReads } from './children.ts';
import { createEndpoint } from './endpoint.ts';
import { createFailover } from './failover.ts';
import { Head } from './head.ts';
import { listReads } from './lists.ts';
import { metaQuery, type RunQuery } from './query.ts';
import type { At } from './records.ts';
import { rowReads } from './rows-by-id.ts';
import { tokenReads } from './srrs-by-tokens.ts';

export { SubgraphError } from './failure.ts';
export type { ListName, Row } from './lists.ts';
export * from './records.ts';
export { fittingChunks } from './rows-by-id.ts';
export { srrId } from './srr-id.ts';

/** Settings of the subgraph client. */
export interface SubgraphOptions {
  /** Tried in order. */
  endpoints: readonly string[];
  /** Sent as bearer token to all of them. */
  apiKey?: string | undefined;
  log: Logger;
  /** Time-out of one request, in milliseconds. */
  timeoutMs?: number;
  /** How long a read waits for a block that is not indexed yet, in milliseconds. */
  blockWaitMs?: number;
  /** Whether to cache answers while the block does not move, and poll for the newest block. */
  cache?: boolean;
}

// A page with its joined records is one request, so this many pages are read at the same time.
const connections = 64;

/**
 * Makes the subgraph client. Every read is one request (very large ones are split, all at one block) and says
 * which block it was read at. Throws `SubgraphError` when no endpoint gives a usable answer, `UpstreamError`
 * when all breakers are open. Call `close` to end its polling and connections.
 */
export function createSubgraph(options: SubgraphOptions) {
  const { apiKey, log } = options;
  // A healthy subgraph answers in milliseconds; after ten seconds the next endpoint is tried.
  const { timeoutMs = 10_000, blockWaitMs = 3_000 } = options;
  const http = createHttpClient({ connections });
  const endpoints = options.endpoints.map((url, i) =>
    createEndpoint({ url: new URL(url), isFirst: i === 0, apiKey, http, log, timeoutMs }),
  );
  const runOnEndpoints = createFailover(endpoints, blockWaitMs);
  /** Asks for the newest indexed block, or the one of `at`. */
  const meta = async (at: At = {}) => {
    const { block } = await runOnEndpoints(metaQuery, at);
    return { block };
  };
  const head = new Head(async () => (await meta()).block);
  const runQuery: RunQuery = options.cache ? new AnswerCache(head, runOnEndpoints).runQuery : runOnEndpoints;
  const lists = listReads(runQuery);
  const rows = rowReads(lists);
  return {
    ...lists,
    ...rows,
    ...tokenReads({ ...lists, ...rows }),
    ...childReads(runQuery),
    meta,
    /** The newest indexed block if it is known at this moment; undefined when stale, or without a cache. */
    head: () => (options.cache ? head.current() : undefined),
    /** A key of the newest state: readers with the same key may share one read. See `Head.snapshotKey`. */
    snapshotKey: () => head.snapshotKey(),
    /** Call this when something happened on chain, so that the next read asks for the newest block. */
    invalidateHead: () => head.invalidate(),
    check: (signal?: AbortSignal) => check(endpoints, signal),
    close: () => {
      head.close();
      return http.close();
    },
  };
}

export type Subgraph = ReturnType<typeof createSubgraph>;
