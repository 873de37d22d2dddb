import { getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../execution/context.ts';

/** Blocks come every few seconds. A CDN may show an old page a little longer while it fetches the new one. */
const publicRead = 'public, max-age=5, stale-while-revalidate=30';
/** The request headers that a response depends on: who asks, in which languages, and for which format. */
const vary = 'authorization, commerce-api-key, issuer-address, accept-language, accept, origin';

/**
 * Lets a CDN cache what anybody may see: whole responses to GET queries of anonymous callers, without errors.
 * Every other response of the endpoint is private.
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
