import { getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../context.ts';

/** Blocks come every few seconds; for a while longer an old page may be shown while a new one is fetched. */
const publicRead = 'public, max-age=5, stale-while-revalidate=30';
/** What an answer depends on besides its address: who asks, in which languages, and in which form. */
const vary = 'authorization, commerce-api-key, issuer-address, accept-language, accept, origin';

/**
 * Lets a CDN hold what anybody may see: whole answers to GET queries of anonymous callers. Everything else
 * that the endpoint says is for its caller alone.
 */
export function cacheControl(): Plugin<Context> {
  const cacheable = new WeakSet<Request>();
  return {
    onExecute({ args }) {
      const { document, operationName, contextValue } = args;
      const { request, caller } = contextValue as Context & { request?: Request };
      const query = getOperationAST(document, operationName)?.operation === 'query';
      if (request?.method !== 'GET' || !query || caller.kind !== 'anonymous') return undefined;
      return {
        onExecuteDone({ result }) {
          if (!(Symbol.asyncIterator in result) && !result.errors) cacheable.add(request);
        },
      };
    },
    onResponse({ request, response }) {
      if (response.headers.has('cache-control')) return;
      response.headers.set('cache-control', cacheable.has(request) ? publicRead : 'private, no-store');
      response.headers.append('vary', vary);
    },
  };
}
