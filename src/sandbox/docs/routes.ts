import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { SandboxSettings } from '../settings.ts';
import type { Db } from '../store/tables.ts';
import type { World } from '../world.ts';
import { openApiDocument, type ServedRoute } from './document.ts';
import { storedExamples } from './examples.ts';
import { homePage } from './home-page.ts';
import { allOperations } from './operations.ts';

export interface DocsOptions {
  db: Db;
  world: World;
  registryAddress: string;
  rpcUrl: string;
  vendor: SandboxSettings['vendor'];
  /** The current version, as issued metadata is checked by. */
  metadataSchema: Record<string, unknown>;
  origin(): string;
}

/** Keeps a list of every route that is registered from now on; HEAD and OPTIONS go without saying. */
export function servedRoutes(server: FastifyInstance): ServedRoute[] {
  const routes: ServedRoute[] = [];
  server.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat())
      if (one !== 'HEAD' && one !== 'OPTIONS') routes.push({ method: one, url });
  });
  return routes;
}

/** `/docs`, a page on which each endpoint can be tried, and `/`, which leads to everything. */
export async function docsRoutes(
  server: FastifyInstance,
  options: DocsOptions & { routes: ServedRoute[] },
): Promise<void> {
  const { db, world, routes, origin, vendor } = options;
  const described = [...routes];
  const stored = await storedExamples(db);
  const [play] = world.issuers;
  if (!play) throw new Error('every world has an issuer');
  // Its own identity would make a reader look for the rest of the document elsewhere.
  const { $schema: _dialect, $id: _id, ...metadataSchema } = options.metadataSchema;

  // Read at each request: its examples hold values that can be used once only.
  const document = () =>
    openApiDocument({
      routes: described,
      origin: origin(),
      play,
      operations: allOperations({
        ...stored,
        fresh: randomUUID(),
        metadataSchema,
        artist: world.artists[0]?.address ?? '',
        buyer: world.buyers[0]?.address ?? '',
        owner: world.buyers[0]?.address ?? '',
        issuer: play.address,
        registry: options.registryAddress,
        vendorPath: vendor.path,
      }),
    });

  server.get('/', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .send(await homePage({ db, world, origin: origin(), rpcUrl: options.rpcUrl })),
  );
  server.get('/docs/openapi.json', async () => document());
  await server.register(swagger, { openapi: {} });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    transformSpecification: document,
    transformSpecificationClone: false,
    uiConfig: {
      // Without the bar of the plugin's own brand.
      layout: 'BaseLayout',
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: -1,
      docExpansion: 'list',
    },
    theme: { title: 'Issuance service sandbox' },
  });
}
