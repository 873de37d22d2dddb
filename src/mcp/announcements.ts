import { sendText } from '../lib/send.ts';
import { version } from '../lib/version.ts';
import type { Route } from '../server/server.ts';

/** The server as clients see it. */
export const identity = { name: 'srr-gateway', title: 'SRR Gateway', version };

const cardType = 'application/mcp-server-card+json';

/**
 * The routes that announce the endpoint at `path`: its server card, and the domain's catalog that links to the card.
 */
export function announcements(path: string, publicUrl: () => string): Route[] {
  const route = (routePath: string, type: string, make: (url: URL) => object): Route => ({
    method: 'GET',
    path: routePath,
    handle: (_req, res) => {
      const text = JSON.stringify(make(new URL(`${publicUrl()}${path}`)));
      // The lifetime that the protocol's extension recommends.
      sendText(res, 200, type, text, ['cache-control', 'public, max-age=3600']);
    },
  });
  return [
    route(`${path}/server-card`, cardType, serverCard),
    route('/.well-known/ai-catalog.json', 'application/ai-catalog+json', catalog),
  ];
}

/** Describes the endpoint to programs that look for one (the protocol's extension for server cards). */
function serverCard(url: URL): object {
  const domain = url.hostname
    .replace(/[^a-z0-9.-]/gi, '')
    .split('.')
    .reverse()
    .join('.');
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...identity,
    name: `${domain}/${identity.name}`,
    description: 'Reads, verifies and issues records of artworks.',
    remotes: [
      {
        type: 'streamable-http',
        url: `${url}`,
        headers: [
          {
            name: 'Authorization',
            description: 'Bearer and a token of the gateway. Without it only public data can be read.',
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
  };
}

/** Leads clients that know only the domain to the card. */
const catalog = (url: URL): object => ({
  specVersion: '1.0',
  entries: [
    {
      identifier: `urn:air:${url.hostname}:mcp:${identity.name}`,
      type: cardType,
      url: `${url}/server-card`,
    },
  ],
});
