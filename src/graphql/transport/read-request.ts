import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '../../lib/json-object.ts';
import { type DocumentStore, persistedQueryOf } from '../execution/documents.ts';
import { costHeader } from '../execution/limits/cost-limits.ts';

/** Longer bodies are seldom repeated, and parsing them blocks the event loop. */
const maxBodyBytes = 20_000;

/**
 * The query of a request that may be a prepared read; undefined for anything that the GraphQL server must handle.
 * Reads a body of at most `limit` bytes, and leaves it where the GraphQL server finds it.
 */
export async function readRequest(req: IncomingMessage, documents: DocumentStore, limit: number) {
  const { method, url = '', headers } = req;
  // Media types are compared without regard to case (RFC 9110), which the GraphQL server does not do.
  const type = headers['content-type']?.replace(/^[^;]*/, (name) => name.trim().toLowerCase());
  if (type !== undefined) headers['content-type'] = type;
  // The GraphQL server decodes encoded bodies, and reports the cost to callers who ask for it.
  if ((headers['content-encoding'] ?? headers[costHeader]) !== undefined) return undefined;
  if (method === 'GET') return queryIn(paramsOf(url), documents);
  const length = Number(headers['content-length'] ?? 0);
  if (method !== 'POST' || length === 0 || length > Math.min(maxBodyBytes, limit)) return undefined;
  if (!/^application\/json(;|$)/.test(type ?? '')) return undefined;
  return queryIn(await receiveJson(req), documents);
}

/** The parsed body; undefined when it is not JSON. */
function receiveJson(req: IncomingMessage & { body?: unknown }): Promise<unknown> {
  const pieces: Buffer[] = [];
  // Never settles when the body is truncated: its sender is gone, and nobody waits for a response.
  return new Promise((resolve) => {
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      const json = isUtf8(bytes) ? parsed(bytes.toString()) : undefined;
      // The property that body parsers set. The GraphQL server itself refuses invalid JSON, and treats any other
      // value as a body that is still unread.
      req.body = isFilled(json) ? json : bytes;
      resolve(json);
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

const names = new Set(['query', 'variables', 'operationName', 'extensions']);

function queryIn(params: unknown, documents: DocumentStore) {
  if (!isJsonObject(params) || !Object.keys(params).every((name) => names.has(name))) return undefined;
  const { operationName, variables = {}, extensions } = params;
  const query = queryOf(params.query, extensions, documents);
  if (query === undefined || !(operationName == null || typeof operationName === 'string')) return undefined;
  const given = variables ?? {};
  if (!isJsonObject(given) || !hasText(given)) return undefined;
  // variablesText is for cache keys.
  return { query, operationName, variables: given, variablesText: JSON.stringify(given) };
}

/** Real variables are nested a few levels deep. */
const maxDepth = 64;

/**
 * Whether stringifying a JSON value gives an unambiguous text. A number beyond the range of JavaScript is parsed as
 * Infinity, whose text is null; and a value that is nested too deeply cannot be stringified.
 */
function hasText(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return depth < maxDepth && Object.values(value).every((inner) => hasText(inner, depth + 1));
}

/** A request with both hash and document registers the document, which only the GraphQL server can do. */
function queryOf(query: unknown, extensions: unknown, documents: DocumentStore): string | undefined {
  if (extensions != null && !isJsonObject(extensions)) return undefined;
  const persisted = persistedQueryOf({ extensions: extensions ?? undefined });
  if (!persisted) return typeof query === 'string' ? query : undefined;
  return persisted.version === 1 && !query ? documents.find(persisted.sha256Hash) : undefined;
}

/** The parameters in a URL: all are text, and two of them JSON. */
function paramsOf(url: string): Record<string, unknown> | undefined {
  const params: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(url.slice(url.indexOf('?') + 1))) {
    if (name in params) return undefined;
    const isJson = name === 'variables' || name === 'extensions';
    const read = isJson ? parsed(value) : value;
    if (read === undefined) return undefined;
    params[name] = read;
  }
  return params;
}
