import { getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../execution/context.ts';

/** Blocks come every few seconds. A CDN may show an old page a little longer while it fetches the new one. */
export const publicRead = 'public, max-age=5, stale-while-revalidate=30';
/** For every other response. */
export const privateRead = 'private, no-store';
/** The request headers that a response depends on: who asks, in which languages, and in which form. */
export const vary =
  'authorization, commerce-api-key, issuer-address, accept-language, accept, accept-encoding, origin';

/**
 * Lets a CDN cache what anybody may see: complete responses to GET queries of anonymous callers, without errors.
 * Every other response of the endpoint is private.
 */
export function cacheControl(): Plugin<Context> {
  const cacheable = new WeakSet<Request>();
  return {
    onExecute({ args }) {
      const { document, operationName, contextValue } = args;
      const { request, caller, loaders } = contextValue as Context & { request?: Request };
      const query = getOperationAST(document, operationName)?.operation === 'query';
      if (request?.method !== 'GET' || !query || caller.kind !== 'anonymous') return undefined;
      return {
        onExecuteDone({ result }) {
          // A document that is missing now may be there at the next request.
          const whole = !(Symbol.asyncIterator in result) && !result.errors && loaders.complete;
          if (whole) cacheable.add(request);
        },
      };
    },
    onResponse({ request, response }) {
      if (response.headers.has('cache-control')) return;
      response.headers.set('cache-control', cacheable.has(request) ? publicRead : privateRead);
      response.headers.append('vary', vary);
    },
  };
}
