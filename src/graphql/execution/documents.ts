import { hash } from 'node:crypto';
import { reasonOf, StartError } from '@srr-gateway/common/start-error';
import { type GraphQLSchema, parse, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { isJsonObject } from '../../lib/json-object.ts';
import { refusal } from './mask-error.ts';

/** Documents by the hash or id that clients send instead of them. */
export interface DocumentStore {
  /** Replaces a hash or id in an HTTP request by its document. */
  plugin: Plugin;
  find(hash: string): string | undefined;
  /** The text to execute: the text that was sent, or else that of the document named by its hash or id. */
  textOf(params: NamingParams): string | undefined;
}

/** The parameters of an operation that may send a document's hash or id instead of its text. */
interface NamingParams {
  query?: string | undefined;
  extensions?: Record<string, unknown> | null | undefined;
}

/** Characters of all stored documents: a few thousand operations of a front-end. */
const maxCharacters = 10_000_000;

/**
 * Automatic persisted queries: a client sends the SHA-256 of a document and, once, the document itself. After that
 * the hash alone is enough, and fits into a GET address that a CDN can cache. A replica that does not know the
 * document asks for it, and clients of this protocol then send it by themselves.
 */
export function persistedQueries(): DocumentStore {
  const documents = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (document) => document.length,
  });
  const textOf = ({ query, extensions }: NamingParams): string | undefined => {
    const persisted = persistedQueryOf(extensions);
    if (!persisted) return query;
    // PersistedQueryNotSupported and PersistedQueryNotFound belong to the protocol: clients compare them literally.
    if (persisted.version !== 1)
      throw refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', 400);
    if (query) {
      if (sha256(query) !== persisted.sha256Hash)
        throw refusal('PERSISTED_QUERY_MISMATCH', 'The sha256Hash is not that of the query.', 400);
      documents.set(persisted.sha256Hash, query);
      return query;
    }
    const document = documents.get(persisted.sha256Hash);
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
    const persisted = persistedQueryOf(extensions);
    if (!persisted || query) return query;
    const document = documents.get(persisted.sha256Hash);
    if (document === undefined) throw untrusted(persisted.sha256Hash);
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
    throw new StartError(`TRUSTED_DOCUMENTS_FILE: ${id} cannot run: ${reasonOf(cause)}`, { cause });
  }
}

/** The persisted query that a request names; undefined without one. */
export function persistedQueryOf(extensions: NamingParams['extensions']) {
  const persisted = extensions?.persistedQuery;
  if (!isJsonObject(persisted)) return undefined;
  return { version: persisted.version, sha256Hash: String(persisted.sha256Hash) };
}

const sha256 = (text: string) => hash('sha256', text);

const untrusted = (hash: string) =>
  refusal(
    'DOCUMENT_NOT_TRUSTED',
    `This gateway executes only the documents of TRUSTED_DOCUMENTS_FILE, and ${hash.slice(0, 64)} is not one of them.`,
    403,
  );
