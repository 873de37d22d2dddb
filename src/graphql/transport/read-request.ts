import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '../../lib/json-object.ts';
import { askedFor, type DocumentStore } from '../execution/documents.ts';
import { costHeader } from '../execution/limits/cost-limits.ts';

/** Longer addresses are seldom repeated. */
const maxUrlLength = 8_000;
/** The same for bodies. They are also parsed at once. */
const maxBodyBytes = 20_000;

/** With one of the first two the bytes of the body are not its text; with the last the response says more. */
const unusual = ['content-encoding', 'transfer-encoding', costHeader];

/**
 * The query of a request that may be a prepared read; undefined for anything that the GraphQL server has to look at
 * itself. A body of at most `limit` bytes is received, and left where the GraphQL server finds it.
 */
export async function readRequest(req: IncomingMessage, documents: DocumentStore, limit: number) {
  const { method, url = '', headers } = req;
  // Media types are compared without regard to case (RFC 9110), which the GraphQL server does not do.
  const type = headers['content-type']?.replace(/^[^;]*/, (name) => name.trim().toLowerCase());
  if (type !== undefined) headers['content-type'] = type;
  if (unusual.some((name) => headers[name] !== undefined)) return undefined;
  const length = Number(headers['content-length'] ?? 0);
  if (method === 'GET')
    return length === 0 && url.length <= maxUrlLength ? queryIn(paramsOf(url), documents) : undefined;
  if (method !== 'POST' || length === 0 || length > Math.min(maxBodyBytes, limit)) return undefined;
  if (!/^application\/json(;|$)/.test(type ?? '')) return undefined;
  return queryIn(await receiveJson(req), documents);
}

/** The body, parsed; undefined when it is no JSON. */
function receiveJson(req: IncomingMessage & { body?: unknown }): Promise<unknown> {
  const pieces: Buffer[] = [];
  // Never settles when the body breaks off: its sender is gone, and nobody waits for a response.
  return new Promise((resolve) => {
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      const json = isUtf8(bytes) ? parsed(bytes.toString()) : undefined;
      // Where body parsers put it. The GraphQL server itself refuses what is no JSON, and takes any other
      // value for a body that nobody has read yet.
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
  // The text of the variables is for cache keys.
  return { query, operationName, variables: given, variablesText: JSON.stringify(given) };
}

/** Real variables nest a few levels. */
const maxDepth = 64;

/**
 * Whether the text of a JSON value stands for it alone. A number beyond the range of JavaScript is parsed as
 * Infinity, whose text is null; and the text of what is nested too deep cannot be made.
 */
function hasText(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return depth < maxDepth && Object.values(value).every((inner) => hasText(inner, depth + 1));
}

/** A request with both hash and document makes the document known, which only the GraphQL server can do. */
function queryOf(query: unknown, extensions: unknown, documents: DocumentStore): string | undefined {
  if (extensions != null && !isJsonObject(extensions)) return undefined;
  const asked = askedFor({ extensions: extensions ?? undefined });
  if (!asked) return typeof query === 'string' ? query : undefined;
  return asked.version === 1 && !query ? documents.find(asked.sha256Hash) : undefined;
}

/** The parameters in an address: all are text, and two are JSON. */
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
