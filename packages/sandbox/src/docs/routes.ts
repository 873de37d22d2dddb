import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { Db } from '../store/tables.ts';
import { type Described, openApiDocument } from './document.ts';
import { type ExampleContext, type Examples, examplesOf } from './examples.ts';
import { homePage } from './home-page.ts';
import { liveValues } from './live-values.ts';

export interface DocsOptions extends ExampleContext {
  db: Db;
  rpcUrl: string;
  /** Those of every surface. */
  routes: readonly Described[];
  origin(): string;
}

const hidden = { schema: { hide: true } };

/** `/docs`, a page on which each endpoint can be tried, and `/`, which leads to everything. */
export async function docsRoutes(server: FastifyInstance, options: DocsOptions): Promise<void> {
  const { db, world, routes, origin, rpcUrl } = options;
  const [issuer] = world.issuers;
  if (!issuer) throw new Error('every world has an issuer');
  const document = (examples: Examples) => openApiDocument(routes, examples, origin());
  // Read at each request: they name what is there now, and values that can be used once only.
  const examples = async () => examplesOf(await liveValues(db, issuer.address), options);
  let latest = await examples();

  server.get('/', hidden, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(await homePage({ db, world, origin: origin(), rpcUrl })),
  );
  server.get('/docs/openapi.json', hidden, async () => document(await examples()));
  await server.register(swagger, { openapi: {} });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    // The document itself is made without waiting.
    uiHooks: {
      preHandler: async () => {
        latest = await examples();
      },
    },
    transformSpecification: () => document(latest),
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
