import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { PendingContext } from './pending-answer.ts';

/** Characters of all documents that are kept: a few thousand operations of a front-end. */
const maxCharacters = 10_000_000;

/**
 * Automatic persisted queries: a client sends the SHA-256 of a document and, once, the document itself; from
 * then on the hash alone will do, short enough for a GET address that a CDN can hold. What another replica
 * was told is asked for here again: the clients that speak this then send it by themselves.
 */
export function persistedQueries(): Plugin<object, PendingContext> {
  const documents = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (document) => document.length,
  });
  return {
    onParams({ params, setParams, context }) {
      const asked = askedFor(params);
      if (!asked) return;
      const { query } = params;
      if (asked.version !== 1)
        throw refusal('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED', 400);
      if (query) {
        if (createHash('sha256').update(query).digest('hex') !== asked.sha256Hash)
          throw refusal('The sha256Hash is not that of the query.', 'PERSISTED_QUERY_MISMATCH', 400);
        documents.set(asked.sha256Hash, query);
        // Answered from memory, a client could not make a forgotten document known again.
        context.pending?.forbid();
        return;
      }
      const document = documents.get(asked.sha256Hash);
      // With 200: clients read this answer and send the document; a 4xx would end there for some.
      if (!document) throw refusal('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND', 200);
      setParams({ ...params, query: document });
    },
  };
}

export function askedFor({
  extensions,
}: GraphQLParams): { version: unknown; sha256Hash: string } | undefined {
  const asked: unknown = extensions?.persistedQuery;
  if (typeof asked !== 'object' || asked === null) return undefined;
  const { version, sha256Hash } = asked as Record<string, unknown>;
  return { version, sha256Hash: String(sha256Hash) };
}

// The first two texts are the protocol's own: clients know them by the letter.
const refusal = (message: string, code: string, status: number) =>
  new GraphQLError(message, { extensions: { code, http: { status } } });
