import { createHash } from 'node:crypto';
import { StartError } from '@srr-gateway/common/start-error';
import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { refusal } from './mask-error.ts';

/** Documents by the hash or id that clients send instead of them. */
export interface DocumentStore {
  /** Executes, over HTTP, the document that a request names. */
  plugin: Plugin;
  find(hash: string): string | undefined;
  /** The text to execute: the one that was sent, or else that of the document that the parameters name. */
  textOf(params: NamingParams): string | undefined;
}

/** The parameters of an operation that may name a document in the place of its text. */
interface NamingParams {
  query?: string | undefined;
  extensions?: Record<string, unknown> | null | undefined;
}

/** Characters of all stored documents: a few thousand operations of a front-end. */
const maxCharacters = 10_000_000;

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
  const textOf = ({ query, extensions }: NamingParams): string | undefined => {
    const asked = askedFor({ extensions });
    if (!asked) return query;
    // PersistedQueryNotSupported and PersistedQueryNotFound belong to the protocol: clients compare them literally.
    if (asked.version !== 1)
      throw refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', 400);
    if (query) {
      if (sha256(query) !== asked.sha256Hash)
        throw refusal('PERSISTED_QUERY_MISMATCH', 'The sha256Hash is not that of the query.', 400);
      documents.set(asked.sha256Hash, query);
      return query;
    }
    const document = documents.get(asked.sha256Hash);
    // Status 200, because clients must read this response to send the document. Some stop at a 4xx.
    if (!document) throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound', 200);
    return document;
  };
  return { plugin: overHttp(textOf), find: (hash) => documents.get(hash), textOf };
}

const overHttp = (textOf: DocumentStore['textOf']): Plugin => ({
  onParams({ params, setParams }) {
    const query = textOf(params);
    if (query !== params.query) setParams({ ...params, query });
  },
});

/**
 * Executes only the documents that the operator took from the front-end's build, named by id or sent as text,
 * over HTTP and WebSocket.
 * @throws StartError when one of them is not valid against the schema.
 */
export function trustedDocuments(
  documents: ReadonlyMap<string, string>,
  schema: GraphQLSchema,
): DocumentStore {
  for (const [id, text] of documents) checkRuns(id, text, schema);
  const texts = new Set(documents.values());
  const textOf = ({ query, extensions }: NamingParams): string | undefined => {
    const asked = askedFor({ extensions });
    if (!asked || query) return query;
    const document = documents.get(asked.sha256Hash);
    if (document === undefined) throw untrusted(asked.sha256Hash);
    return document;
  };
  const plugin: Plugin = {
    ...overHttp(textOf),
    onParse({ params: { source } }) {
      const text = typeof source === 'string' ? source : source.body;
      if (!texts.has(text)) throw untrusted(sha256(text));
    },
  };
  return { plugin, find: (id) => documents.get(id), textOf };
}

function checkRuns(id: string, text: string, schema: GraphQLSchema): void {
  try {
    const [error] = validate(schema, parse(text));
    if (error) throw error;
  } catch (cause) {
    if (!(cause instanceof GraphQLError)) throw cause;
    throw new StartError(`TRUSTED_DOCUMENTS_FILE: ${id} cannot run: ${cause.message}`, { cause });
  }
}

/** Characters of all cached texts. A parsed document takes some fifty bytes for each character. */
const maxParsed = 1_000_000;

const byText = <Value extends object>() =>
  new LRUCache<string, Value>({ maxSize: maxParsed, sizeCalculation: (_, text) => text.length || 1 });

/**
 * Parser caches that are limited by text length. Yoga's own count documents of any length, so strangers could
 * fill the memory with long ones.
 */
export const documentCaches = () => ({
  documentCache: byText<DocumentNode>(),
  errorCache: byText<Error>(),
});

/** The stored document that a request names, if it names one. */
export function askedFor({
  extensions,
}: Pick<NamingParams, 'extensions'>): { version: unknown; sha256Hash: string } | undefined {
  const asked: unknown = extensions?.persistedQuery;
  if (typeof asked !== 'object' || asked === null) return undefined;
  const { version, sha256Hash } = asked as Record<string, unknown>;
  return { version, sha256Hash: String(sha256Hash) };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const untrusted = (hash: string) =>
  refusal(
    'DOCUMENT_NOT_TRUSTED',
    `This gateway executes only documents that it was given in advance, and ${hash.slice(0, 64)} is none of them (TRUSTED_DOCUMENTS_FILE).`,
    403,
  );
