import type { IncomingMessage } from 'node:http';
import { getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { isSecret } from '../../lib/send.ts';
import type { Context } from '../execution/context.ts';

/** Blocks come every few seconds. A CDN may show an old page a little longer while it fetches the new one. */
const publicRead = 'public, max-age=5, stale-while-revalidate=30';
/** For every other response. */
const privateRead = 'private, no-store';
/** The request headers that a response depends on: who asks, in which languages, and in which form. */
const vary =
  'authorization, commerce-api-key, issuer-address, accept-language, accept, accept-encoding, origin';

/** Names and values in turns, for a public answer and for any other. */
export const publicHeaders = ['cache-control', publicRead, 'vary', vary];
export const privateHeaders = ['cache-control', privateRead, 'vary', vary];

/**
 * Lets a CDN cache public answers: complete responses to GET queries of anonymous callers, without errors.
 * Every other response of the endpoint is private.
 */
export function cacheControl(): Plugin<Context, { req?: IncomingMessage }> {
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
    onResponse({ request, response, serverContext: { req } }) {
      if (response.headers.has('cache-control')) return;
      // Proxies must not compress a secret either.
      const others = req && isSecret(req) ? `${privateRead}, no-transform` : privateRead;
      response.headers.set('cache-control', cacheable.has(request) ? publicRead : others);
      response.headers.append('vary', vary);
    },
  };
}

/** Clients send a handful of different Accept headers. */
const max = 200;
const maxLength = 500;
/** No header can be this, as its value is trimmed. */
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
