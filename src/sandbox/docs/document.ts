import type { Answer, Operation, Operations, Parameter } from './operation.ts';

export interface ServedRoute {
  method: string;
  url: string;
}

export interface DocumentOptions {
  routes: readonly ServedRoute[];
  operations: Operations;
  origin: string;
  /** The default issuer: its headers are filled in already. */
  play: { address: string; apiKey: string; name: string };
}

const introduction = `A complete local issuance service. Every endpoint can be tried here: the play key of the
default issuer is filled in. The recommended order is the numbered one: sign, upload, ask for hash and cid, issue.
\`GET /sandbox\` has all other play keys; they open nothing but a sandbox.`;

/** The OpenAPI document of the routes that are served. */
export function openApiDocument({
  routes,
  operations,
  origin,
  play,
}: DocumentOptions): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, url } of routes) {
    if (url === '/' || url.startsWith('/docs')) continue;
    const operation = operations[`${method} ${url}`] ?? undescribed(method, url);
    const path = (operation.path ?? url).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: described(operation, play) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Issuance service sandbox',
      version: '1.3.0',
      description: introduction.replaceAll('\n', ' '),
    },
    servers: [{ url: origin }],
    tags: ['Commerce API', 'Storage', 'Public reads', 'Subgraph', 'IPFS gateway', 'Test mode'].map(
      (name) => ({ name }),
    ),
    paths,
  };
}

/** A route that nobody described yet is served all the same, so it is shown. */
function undescribed(method: string, url: string): Operation {
  const params = Object.fromEntries([...url.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, {}]));
  return {
    tag: 'Other',
    summary: `${method} ${url}`,
    params,
    answers: { default: { description: 'Not described.' } },
  };
}

function described(operation: Operation, play: DocumentOptions['play']): Record<string, unknown> {
  const {
    tag,
    summary,
    description,
    params = {},
    query = {},
    body,
    answers,
    authenticated,
    deprecated,
  } = operation;
  const headers: Record<string, Parameter> = authenticated
    ? {
        'commerce-api-key': { description: `Play key of ${play.name}.`, example: play.apiKey },
        'issuer-address': { description: `Wallet of ${play.name}.`, example: play.address },
      }
    : {};
  return {
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(deprecated && { deprecated }),
    parameters: [
      ...parameters('header', headers),
      ...parameters('path', params),
      ...parameters('query', query),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          [body.contentType ?? 'application/json']: {
            schema: body.schema,
            ...(body.example !== undefined && { example: body.example }),
          },
        },
      },
    }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, response(answer)]),
    ),
  };
}

function parameters(place: 'header' | 'path' | 'query', named: Record<string, Parameter>) {
  return Object.entries(named).map(([name, { schema = { type: 'string' }, description, example }]) => ({
    name,
    in: place,
    required: place !== 'query',
    schema: example === undefined ? schema : { ...schema, default: example },
    ...(description && { description }),
  }));
}

function response({ description, schema, contentType = 'application/json' }: Answer) {
  return { description, ...(schema && { content: { [contentType]: { schema } } }) };
}
