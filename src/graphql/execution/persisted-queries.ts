import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';

/** Characters of all stored documents: a few thousand operations of a front-end. */
const maxCharacters = 10_000_000;

/** Documents by the hash or id that clients send instead of them. */
export interface DocumentStore {
  plugin: Plugin;
  find(hash: string): string | undefined;
}

/**
 * Automatic persisted queries: a client sends the SHA-256 of a document and, once, the document itself. After
 * that the hash alone is enough, and fits into a GET address that a CDN can cache. A document that only
 * another replica knows is asked for again; clients of this protocol then send it by themselves.
 */
export function persistedQueries(): DocumentStore {
  const documents = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (document) => document.length,
  });
  const plugin: Plugin = {
    onParams({ params, setParams }) {
      const asked = askedFor(params);
      if (!asked) return;
      const { query } = params;
      if (asked.version !== 1)
        throw refusal('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED', 400);
      if (query) {
        if (createHash('sha256').update(query).digest('hex') !== asked.sha256Hash)
          throw refusal('The sha256Hash is not that of the query.', 'PERSISTED_QUERY_MISMATCH', 400);
        documents.set(asked.sha256Hash, query);
        return;
      }
      const document = documents.get(asked.sha256Hash);
      // Status 200, because clients must read this response to send the document. Some stop at a 4xx.
      if (!document) throw refusal('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND', 200);
      setParams({ ...params, query: document });
    },
  };
  return { plugin, find: (hash) => documents.get(hash) };
}

/** The persisted query that a request names, if it names one. */
export function askedFor({
  extensions,
}: Pick<GraphQLParams, 'extensions'>): { version: unknown; sha256Hash: string } | undefined {
  const asked: unknown = extensions?.persistedQuery;
  if (typeof asked !== 'object' || asked === null) return undefined;
  const { version, sha256Hash } = asked as Record<string, unknown>;
  return { version, sha256Hash: String(sha256Hash) };
}

// The first two messages belong to the protocol: clients compare them literally.
const refusal = (message: string, code: string, status: number) =>
  new GraphQLError(message, { extensions: { code, http: { status } } });
