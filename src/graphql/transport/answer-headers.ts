import type { Plugin } from 'graphql-yoga';
import type { Cdn } from '../../clients/cdn.ts';
import { isSecret } from '../../lib/send.ts';
import type { Context, ServerContext } from '../execution/context.ts';
import { costHeader } from '../execution/limits/cost-limits.ts';

/** Blocks come every few seconds. A CDN may serve an old page a little longer while it fetches the new one. */
const publicRead = 'public, max-age=5, stale-while-revalidate=30';
/**
 * For a CDN that the gateway purges at each block. If a purge is lost because its replica was killed, the CDN serves
 * an old answer for a minute at most.
 */
const purgedRead = 'public, max-age=5, s-maxage=60, stale-while-revalidate=30';
/** For every other response. */
export const privateRead = 'private, no-store';
/** What a response depends on: who asks, in which languages and form, with its cost. `cors` adds the page's origin. */
const vary = `authorization, commerce-api-key, issuer-address, accept-language, accept, accept-encoding, ${costHeader}`;

/** Alternating names and values of the headers of a public answer, read at this newest block if at any. */
export type PublicHeaders = (newestBlock: string | undefined) => readonly string[];

/** Tags are sent only if there is a CDN to purge. */
export function publicHeadersFor(cdn: Cdn | undefined): PublicHeaders {
  const headers = ['cache-control', publicRead, 'vary', vary];
  if (!cdn) return () => headers;
  return (block) => {
    const read = block === undefined ? publicRead : purgedRead;
    return ['cache-control', read, 'vary', vary, ...cdn.tagsOf(block)];
  };
}

/** The same for any other answer. */
export const privateHeaders = ['cache-control', privateRead, 'vary', vary];

/**
 * Lets a CDN cache public answers: complete responses to GET queries of anonymous callers, without errors.
 * Every other response of the endpoint is private.
 */
export function cacheControl(publicHeaders: PublicHeaders): Plugin<Context, ServerContext> {
  /** Cacheable requests, with the newest block that their answer was read at. */
  const cacheable = new WeakMap<Request, string | undefined>();
  return {
    onExecute({ args }) {
      const { request, caller, loaders } = args.contextValue as Context & { request?: Request };
      // Yoga refuses mutations by GET, and subscriptions are not executed here.
      if (request?.method !== 'GET' || caller.kind !== 'anonymous') return undefined;
      // Such an answer reports the caller's own budget.
      if (request.headers.has(costHeader)) return undefined;
      return {
        onExecuteDone({ result }) {
          // A document that is missing now may be there at the next request.
          const whole = !(Symbol.asyncIterator in result) && !result.errors && loaders.complete;
          if (whole) cacheable.set(request, loaders.newestBlock);
        },
      };
    },
    onResponse({ request, response, serverContext: { source } }) {
      // Yoga's own header, on results that it sends as an event stream, would allow caching.
      response.headers.delete('cache-control');
      // Proxies must not compress a secret either.
      const others = isSecret(source.req)
        ? ['cache-control', `${privateRead}, no-transform`, 'vary', vary]
        : privateHeaders;
      const headers = cacheable.has(request) ? publicHeaders(cacheable.get(request)) : others;
      for (let i = 0; i < headers.length; i += 2)
        response.headers.append(headers[i] as string, headers[i + 1] as string);
    },
  };
}
