import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '../../lib/json-object.ts';
import { extraParamNames } from '../../lib/operation-params.ts';
import { type DocumentStore, persistedQueryOf } from '../execution/documents.ts';
import { costHeader } from '../execution/limits/cost-limits.ts';

/** Longer bodies are seldom repeated, and parsing them blocks the event loop. */
const maxBodyBytes = 20_000;

/**
 * Reads a request that may be for a prepared read: its text, which is the URL or a body of at most `limit` bytes, and
 * the query in it. Undefined for anything that the GraphQL server must handle. Leaves the body where the GraphQL server
 * finds it.
 */
export async function readRequest(req: IncomingMessage, limit: number, documents: DocumentStore) {
  const { method, url = '', headers } = req;
  // Media types are compared without regard to case (RFC 9110), which the GraphQL server does not do.
  const type = headers['content-type']?.replace(/^[^;]*/, (name) => name.trim().toLowerCase());
  if (type !== undefined) headers['content-type'] = type;
  // The GraphQL server decodes encoded bodies, and reports the cost to callers who ask for it.
  if ((headers['content-encoding'] ?? headers[costHeader]) !== undefined) return undefined;
  if (method === 'GET') return queryIn(url, paramsOf(url), documents);
  const length = Number(headers['content-length'] ?? 0);
  if (method !== 'POST' || length === 0 || length > Math.min(maxBodyBytes, limit)) return undefined;
  if (!/^application\/json(;|$)/.test(type ?? '')) return undefined;
  const text = await textOfBody(req);
  return text === undefined ? undefined : queryIn(text, parsed(text), documents);
}

/** The text of the body; undefined when it is not UTF-8. */
function textOfBody(req: IncomingMessage & { body?: Buffer }): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  // Never settles when the body is truncated: its sender is gone, and nobody waits for a response.
  return new Promise((resolve) => {
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      // The property that body parsers set.
      req.body = bytes;
      resolve(isUtf8(bytes) ? bytes.toString() : undefined);
    });
  });
}

const names = new Set(['query', 'variables', 'operationName', 'extensions', ...extraParamNames]);

function queryIn(text: string, params: unknown, documents: DocumentStore) {
  if (!isJsonObject(params) || !Object.keys(params).every((name) => names.has(name))) return undefined;
  const { operationName, extensions } = params;
  const query = documentOf(params.query, extensions, documents);
  if (query === undefined || !(operationName == null || typeof operationName === 'string')) return undefined;
  const variables = params.variables ?? {};
  return isJsonObject(variables) ? { text, query, operationName, variables } : undefined;
}

/** A request with both hash and document registers the document, which only the GraphQL server can do. */
function documentOf(query: unknown, extensions: unknown, documents: DocumentStore): string | undefined {
  if (extensions != null && !isJsonObject(extensions)) return undefined;
  const persisted = persistedQueryOf(extensions);
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
