import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: { default?: string };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

export interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

/** An operation with its method and path in the document. */
export interface Placed extends Operation {
  method: string;
  path: string;
}

/** A request as the page of endpoints sends it. */
export interface Filled {
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export async function readOpenApi(url: string): Promise<OpenApi> {
  return (await fetch(`${url}/docs/json`)).json() as Promise<OpenApi>;
}

export function operationsOf({ paths }: OpenApi): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
}

/** The request of an operation with the page's prefilled values. */
export function filledIn({ path: pattern, parameters = [], requestBody }: Placed): Filled {
  let path = pattern;
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  for (const { name, in: place, schema } of parameters) {
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(`${schema.default}`));
    if (place === 'header') headers[name] = `${schema.default}`;
    if (place === 'query' && schema.default !== undefined) query.set(name, `${schema.default}`);
  }
  const [contentType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (contentType !== undefined) headers['content-type'] = contentType;
  const { example } = media ?? {};
  const body = typeof example === 'string' || example === undefined ? example : JSON.stringify(example);
  return { path: query.size > 0 ? `${path}?${query}` : path, headers, body };
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });

export function accepts(schema: object, value: unknown): boolean {
  return ajv.validate(schema, value);
}

/** Sends a request, expects a documented response, and returns its status and text. */
export async function tryOut(
  url: string,
  operation: Placed,
  filled: Filled = filledIn(operation),
): Promise<{ status: number; text: string }> {
  const { method, path, responses } = operation;
  const response = await fetch(url + filled.path, {
    method: method.toUpperCase(),
    headers: filled.headers,
    ...(filled.body !== undefined && { body: filled.body }),
  });
  const text = await response.text();
  const { status } = response;
  const description = `${method} ${path}: ${status} ${text.slice(0, 500)}`;
  expect(Object.keys(responses), description).toContain(`${status}`);
  const { content } = responses[status] ?? {};
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  if (content === undefined) expect(text, description).toBe('');
  else if (content['*/*'] === undefined) expect(Object.keys(content), description).toContain(type);
  const schema = content?.[type]?.schema;
  if (schema && type.includes('json')) {
    ajv.validate(schema, JSON.parse(text));
    expect(ajv.errors, description).toBeNull();
  }
  return { status, text };
}
