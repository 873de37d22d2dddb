import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@srr-gateway/common/log';
import type { GraphQLSchema } from 'graphql';
import type { Authenticator } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { credentialsOf } from '../access/request-credentials.ts';
import { sourceOf } from '../graphql/execution/context.ts';
import { HttpError } from '../lib/http-error.ts';
import { readBody, textOf } from '../lib/read-body.ts';
import { markSecret, sendText } from '../lib/send.ts';
import { GatewayError } from '../model/errors.ts';
import type { Operation, RunOperation } from '../operations/operations.ts';
import { whenCallerLeaves } from '../server/response.ts';
import type { Handler, Route } from '../server/server.ts';
import { announcements, identity } from './announcements.ts';
import { createResources } from './resources.ts';
import { createTools } from './tools.ts';

export interface McpOptions {
  operations: ReadonlyMap<string, Operation>;
  runOperation: RunOperation;
  schema: GraphQLSchema;
  /** The printed schema; absent when introspection is off. */
  sdl: string | undefined;
  authenticator: Authenticator;
  /** The longest body of an anonymous request. */
  maxAnonymousBytes: number;
  /** Base address of the gateway as clients see it. */
  publicUrl(): string;
  log: Logger;
}

const mcpPath = '/mcp';
/** A file of 500,000 bytes in base64, and the JSON around it. Models do not write more. */
const maxBodyBytes = 1_000_000;

/** The Model Context Protocol over streamable HTTP, without sessions, and the routes that announce it. */
export function mcpRoutes(options: McpOptions): Route[] {
  return [
    { method: 'POST', path: mcpPath, span: mcpPath, handle: endpoint(options) },
    ...announcements(mcpPath, options.publicUrl),
  ];
}

function endpoint(options: McpOptions): Handler {
  const { authenticator, maxAnonymousBytes } = options;
  const load = async () => {
    const { createProtocol } = await import('./protocol.ts');
    const { operations, runOperation, schema, sdl, log } = options;
    const tools = createTools(operations, schema);
    const resources = createResources(schema, sdl);
    return createProtocol({ identity, tools, resources, schema, run: runOperation, maxBodyBytes, log });
  };
  let protocol: ReturnType<typeof load> | undefined;
  return async (req, res) => {
    // Listen before the first await: the caller may leave while its credentials are checked.
    const signal = whenCallerLeaves(res);
    const caller = await callerOf(req, authenticator);
    const maxBytes = caller.kind === 'anonymous' ? maxAnonymousBytes : maxBodyBytes;
    const text = textOf(await readBody(req, maxBytes));
    // Older clients may send a batch of calls, which the rate limit would count as one.
    if (/^\s*\[/.test(text))
      throw new HttpError(400, 'Send one message in each request, not a list of them.');
    // A result may have a signed URL.
    markSecret(req);
    // If loading fails, for example without a free file descriptor, the next request tries again.
    protocol ??= load().catch((error: unknown) => {
      protocol = undefined;
      throw error;
    });
    const answer = await protocol;
    const request = new Request(`http://gateway${mcpPath}`, {
      method: 'POST',
      headers: protocolHeaders(req),
      body: text,
    });
    await respond(res, await answer(request, { caller, source: sourceOf(req, res), signal }));
  };
}

/** The caller of the request. @throws HttpError 401 when its credentials are not valid. */
async function callerOf(req: IncomingMessage, authenticator: Authenticator): Promise<Caller> {
  try {
    return await authenticator.caller(credentialsOf(req));
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'UNAUTHENTICATED') throw error;
    const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' };
    throw new HttpError(401, error.message, challenge, error.code);
  }
}

/** The headers that the protocol defines; never the credentials. */
const protocolHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(accept|content-type|mcp-.*)$/.test(name) && typeof value === 'string' ? [[name, value]] : [],
    ),
  );

async function respond(res: ServerResponse, answer: Response): Promise<void> {
  const text = await answer.text();
  const type = answer.headers.get('content-type');
  if (type === null) res.writeHead(answer.status).end(text);
  else sendText(res, answer.status, type, text, ['cache-control', 'private, no-store, no-transform']);
}
