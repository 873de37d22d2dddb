import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';

/** Clients send a handful of different Accept headers. */
const max = 200;
const maxLength = 500;

/** Which JSON content type the GraphQL server answers an Accept header with, as it was seen to do. */
export class ContentTypes {
  readonly #known = new LRUCache<string, string>({ max });

  /** Undefined when no such request was answered with JSON yet. */
  of(method: string | undefined, accept: string | undefined): string | undefined {
    return this.#known.get(`${method} ${accept}`);
  }

  get plugin(): Plugin {
    return {
      onResponse: ({ request, response }) => {
        const accept = request.headers.get('accept') ?? undefined;
        const type = response.headers.get('content-type') ?? '';
        if (response.status !== 200 || !/^application\/(graphql-response\+)?json\b/.test(type)) return;
        if ((accept?.length ?? 0) <= maxLength) this.#known.set(`${request.method} ${accept}`, type);
      },
    };
  }
}
