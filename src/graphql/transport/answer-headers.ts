import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Cdn } from '../../clients/cdn.ts';
import { isSecret } from '../../lib/send.ts';
import type { Context, ServerContext } from '../execution/context.ts';
import { costHeader } from '../execution/limits/cost-limits.ts';

/** Blocks come every few seconds. A CDN may show an old page a little longer while it fetches the new one. */
const publicRead = 'public, max-age=5, stale-while-revalidate=30';
/**
 * For a CDN that the gateway purges at each block. It keeps an answer for a minute, and shows an old one that long
 * when a purge is lost because its replica was killed.
 */
const purgedRead = 'public, max-age=5, s-maxage=60, stale-while-revalidate=30';
/** For every other response. */
const privateRead = 'private, no-store';
/** The request headers that a response depends on: who asks, in which languages, in which form, and with its cost. */
const vary = `authorization, commerce-api-key, issuer-address, accept-language, accept, accept-encoding, origin, ${costHeader}`;

/** Names and values in turns, for a public answer that was read at this newest block, if at any. */
export type PublicHeaders = (newestBlock: string | undefined) => readonly string[];

/** Without a CDN to purge nobody reads tags, so they are not sent. */
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
  /** With the newest block that each was read at. */
  const cacheable = new WeakMap<Request, string | undefined>();
  return {
    onExecute({ args }) {
      const { request, caller, loaders } = args.contextValue as Context & { request?: Request };
      // Yoga refuses mutations by GET, and subscriptions are not executed here.
      if (request?.method !== 'GET' || caller.kind !== 'anonymous') return undefined;
      // The answer says what is left of the caller's budget.
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
      if (response.headers.has('cache-control')) return;
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

/** Clients send a handful of different Accept headers. */
const max = 200;
const maxLength = 500;
/** Stands for a missing Accept header. A real one cannot be a blank: Node trims values. */
const none = ' ';

/** Which JSON content type the GraphQL server answers a method and Accept header with, as it was seen to do. */
export class ContentTypes {
  readonly #known = new LRUCache<string, string>({ max });

  /** Undefined when no such request was answered with JSON yet. */
  of(method = '', accept = none): string | undefined {
    return this.#known.get(method + accept);
  }

  get plugin(): Plugin {
    return {
      onResponse: ({ request: { method, headers }, response }) => {
        const accept = headers.get('accept') ?? none;
        const type = response.headers.get('content-type') ?? '';
        if (response.status !== 200 || !/^application\/(graphql-response\+)?json\b/.test(type)) return;
        if (accept.length <= maxLength) this.#known.set(method + accept, type);
      },
    };
  }
}
